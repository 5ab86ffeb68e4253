import Dispatch
import SubPub
import Testing

extension ClientTests {
  @Suite("ExplicitPublisher: each publisher has a protocol of its own, and needs no subclass")
  struct ExplicitPublisherTests {
    nonisolated protocol SongNamesSubscriber: AnyObject, Sendable {
      func songNamesChanged(_ state: LoadState<[String]>)
    }

    nonisolated protocol AlbumNamesSubscriber: AnyObject, Sendable {
      func albumNamesChanged(_ state: LoadState<[String]>)
    }

    /// Two protocols tell apart what is published, even by one publisher.
    nonisolated final class Library: SongNamesSubscriber, AlbumNamesSubscriber {
      let queue = DispatchQueue(label: "library")
      let journal = Journal<String>()

      func songNamesChanged(_ state: LoadState<[String]>) {
        Here.assertQueue(queue)
        journal.add("songs \(state)")
      }

      func albumNamesChanged(_ state: LoadState<[String]>) {
        Here.assertQueue(queue)
        journal.add("albums \(state)")
      }
    }

    @Test("an object subscribes through several protocols, and leaves one without leaving the others")
    func manyToMany() async {
      let (publisher, library) = (Publisher<[String]>(label: "names"), Library())
      let songs = ExplicitPublisher<[String], any SongNamesSubscriber>(publisher) { $0.songNamesChanged($1) }
      let albums = ExplicitPublisher<[String], any AlbumNamesSubscriber>(publisher) { $0.albumNamesChanged($1) }
      #expect(songs.publisher === publisher)
      #expect(songs.description == "ExplicitPublisher<SongNamesSubscriber>(Publisher<Array<String>>(names 0: unknown))")
      let standing = songs.subscribe(library, on: .queue(library.queue))
      #expect(songs.subscribe(library, on: .immediate, buffering: .latest, ifDuplicate: .ignore) == standing)
      #expect(albums.subscribe(library, on: .queue(library.queue)) != standing)
      publisher.updateData(["Help!"])
      await publisher.drain()
      #expect(songs.unsubscribe(library) == .quiescent)
      #expect(songs.unsubscribe(library) == .alreadyCancelled)
      publisher.startLoading()
      await publisher.drain()
      #expect(
        library.journal.entries.sorted() == [
          "albums loaded([\"Help!\"])", "albums loading(previous: [\"Help!\"])", "albums unknown",
          "songs loaded([\"Help!\"])", "songs unknown",
        ])
    }
  }

  @Suite("ExplicitPublisher for screens: the protocols belong to the main actor, and needn't be Sendable")
  @MainActor struct MainActorExplicitPublisherTests {
    @MainActor protocol ProductsSubscriber: AnyObject {
      func productsChanged(_ state: LoadState<[Product]>)
    }

    @MainActor protocol LocationSubscriber: AnyObject {
      func locationChanged(_ state: LoadState<String>)
    }

    @MainActor final class ShopViewController: ProductsSubscriber, LocationSubscriber {
      private(set) var rows: [String] = []
      private(set) var title = ""

      func productsChanged(_ state: LoadState<[Product]>) {
        Here.assertMainActor()
        rows = state.value?.map(\.name) ?? []
      }

      func locationChanged(_ state: LoadState<String>) {
        Here.assertMainActor()
        title = state.value ?? "nowhere"
      }
    }

    @Test("a screen subscribes to many publishers, which call it on the main actor")
    func manyToMany() async {
      let products = MainActorExplicitPublisher<[Product], any ProductsSubscriber> { $0.productsChanged($1) }
      let (place, screen) = (Publisher<String>(label: "place"), ShopViewController())
      let location = MainActorExplicitPublisher<String, any LocationSubscriber>(place) { $0.locationChanged($1) }
      #expect(location.publisher === place)
      #expect(
        location.description == "MainActorExplicitPublisher<LocationSubscriber>(Publisher<String>(place 0: unknown))")
      products.subscribe(screen)
      let standing = location.subscribe(screen, buffering: .latest)
      #expect(location.subscribe(screen, ifDuplicate: .ignore) == standing)
      products.publisher.updateData([Product(name: "apple")])
      place.updateData("Rome")
      #expect((screen.rows, screen.title) == ([], ""), "never before the publish returns")
      await products.publisher.drain()
      await place.drain()
      #expect((screen.rows, screen.title) == (["apple"], "Rome"))
      #expect(location.unsubscribe(screen) == .quiescent)
      #expect(place.subscriberCount == 0)
    }
  }
}
