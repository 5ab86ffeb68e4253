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

    nonisolated final class MusicManager: Sendable {
      let songNames = ExplicitPublisher<[String], any SongNamesSubscriber> { $0.songNamesChanged($1) }
      let albumNames = ExplicitPublisher<[String], any AlbumNamesSubscriber> { $0.albumNamesChanged($1) }
    }

    /// A subscriber whose two protocols tell apart two publishers of the same type.
    nonisolated final class Library: SongNamesSubscriber, AlbumNamesSubscriber {
      let journal: Journal<String>

      init(_ journal: Journal<String> = Journal()) { self.journal = journal }

      func songNamesChanged(_ state: LoadState<[String]>) { journal.add("songs \(state)") }
      func albumNamesChanged(_ state: LoadState<[String]>) { journal.add("albums \(state)") }
    }

    let music = MusicManager()
    let library = Library()

    @Test("one object subscribes to many publishers, each of which calls its own function")
    func manyToMany() {
      music.songNames.subscribe(library, on: .immediate)
      music.albumNames.subscribe(library, on: .immediate)
      music.songNames.publisher.updateData(["Help!"])
      music.albumNames.publisher.startLoading()
      #expect(
        library.journal.entries == [
          "songs unknown", "albums unknown", "songs loaded([\"Help!\"])", "albums loading",
        ])
      #expect(music.songNames.description.contains("SongNamesSubscriber"))
    }

    nonisolated final class Radio: SongNamesSubscriber {
      let queue = DispatchQueue(label: "radio")
      let journal = Journal<[String]>()

      func songNamesChanged(_ state: LoadState<[String]>) {
        Here.assertQueue(queue)
        journal.add(state.value ?? [])
      }
    }

    @Test("a publisher calls objects of any class that conforms to its protocol, each on the context of its choice")
    func contexts() async {
      let radio = Radio()
      music.songNames.subscribe(library, on: .background)
      let standing = music.songNames.subscribe(radio, on: .queue(radio.queue), buffering: .latest)
      #expect(music.songNames.subscribe(radio, on: .immediate, ifDuplicate: .ignore) == standing)
      music.songNames.publisher.updateData(["Help!"])
      await music.songNames.publisher.drain()
      #expect(library.journal.entries.last == "songs loaded([\"Help!\"])")
      #expect(radio.journal.entries.last == ["Help!"])
    }

    @Test("unsubscribing from one publisher leaves the subscriptions to others alone")
    func unsubscribe() {
      music.songNames.subscribe(library, on: .immediate)
      let albums = music.albumNames.subscribe(library, on: .immediate)
      #expect(music.songNames.unsubscribe(library) == .quiescent)
      #expect(music.songNames.unsubscribe(library) == .alreadyCancelled)
      music.songNames.publisher.startLoading()
      music.albumNames.publisher.startLoading()
      #expect(albums.isActive)
      #expect(library.journal.entries == ["songs unknown", "albums unknown", "albums loading"])
    }

    @Test("two protocols can share a publisher: an object's subscriptions through both are no duplicates")
    func sharedPublisher() {
      let names = Publisher<[String]>()
      let songs = ExplicitPublisher<[String], any SongNamesSubscriber>(names) { $0.songNamesChanged($1) }
      let albums = ExplicitPublisher<[String], any AlbumNamesSubscriber>(names) { $0.albumNamesChanged($1) }
      #expect(songs.publisher === names)
      let standing = songs.subscribe(library, on: .immediate)
      #expect(albums.subscribe(library, on: .immediate) != standing)
      #expect(songs.subscribe(library, on: .immediate) == standing)
      #expect(names.subscriberCount == 2)
      names.startLoading()
      #expect(library.journal.entries == ["songs unknown", "albums unknown", "songs loading", "albums loading"])
      #expect(songs.unsubscribe(library) == .quiescent)
      #expect(names.subscriberCount == 1)
      withExtendedLifetime(library) {}
    }

    @Test("a subscriber is held weakly")
    func weak() {
      let journal = Journal<String>()
      expectReleased {
        let library = Library(journal)
        music.songNames.subscribe(library, on: .immediate)
        return library
      }
      #expect(music.songNames.publisher.subscriberCount == 0)
      music.songNames.publisher.startLoading()
      #expect(journal.entries == ["songs unknown"])
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

    nonisolated final class ShopManager: Sendable {
      let products = MainActorExplicitPublisher<[Product], any ProductsSubscriber> { $0.productsChanged($1) }
      let location = MainActorExplicitPublisher<String, any LocationSubscriber> { $0.locationChanged($1) }
    }

    @MainActor final class ShopViewController: ProductsSubscriber, LocationSubscriber {
      private let shop: ShopManager
      private(set) var rows: [String] = []
      private(set) var title = ""

      init(_ shop: ShopManager) { self.shop = shop }

      func viewDidLoad() {
        shop.products.subscribe(self)
        shop.location.subscribe(self, buffering: .latest)
      }

      func viewDidDisappear() { shop.location.unsubscribe(self) }

      func productsChanged(_ state: LoadState<[Product]>) {
        Here.assertMainActor()
        switch state {
        case .unknown: rows = []
        case .loading: break
        case .loaded(let products): rows = products.map(\.name)
        case .error(let error, _): rows = ["\(error)"]
        }
      }

      func locationChanged(_ state: LoadState<String>) { title = state.value ?? "nowhere" }
    }

    let shop = ShopManager()

    @Test("a screen subscribes to many publishers, which call it on the main actor")
    func manyToMany() async {
      let screen = ShopViewController(shop)
      screen.viewDidLoad()
      await Task.detached { [shop] in
        shop.products.publisher.updateData([Product("apple")])
        shop.location.publisher.updateData("Rome")
      }.value
      await shop.products.publisher.drain()
      await shop.location.publisher.drain()
      #expect(screen.rows == ["apple"])
      #expect(screen.title == "Rome")

      screen.viewDidDisappear()
      shop.location.publisher.updateData("Oslo")
      shop.products.publisher.setError(Failure.offline)
      #expect(screen.rows == ["apple"], "never before the publish returns")
      await shop.products.publisher.drain()
      await shop.location.publisher.drain()
      #expect(screen.title == "Rome")
      #expect(screen.rows == ["offline"])
    }

    @Test("a publisher that exists already can be given, and duplicates are as the caller says")
    func givenPublisher() async {
      let publisher = Publisher<String>()
      let location = MainActorExplicitPublisher<String, any LocationSubscriber>(publisher) { $0.locationChanged($1) }
      #expect(location.publisher === publisher)
      #expect(location.description.contains("LocationSubscriber"))
      let screen = ShopViewController(shop)
      let standing = location.subscribe(screen)
      #expect(standing.context == .main)
      #expect(location.subscribe(screen, buffering: .latest, ifDuplicate: .ignore) == standing)
      #expect(location.subscribe(screen, ifDuplicate: .allow) != standing)
      await publisher.drain()
      #expect(screen.title == "nowhere")
      #expect(location.unsubscribe(screen) == .quiescent)
    }

    @Test("a dismissed screen is released, and its pending states are dropped")
    func weak() async {
      expectReleased {
        let screen = ShopViewController(shop)
        screen.viewDidLoad()
        return screen
      }
      #expect(shop.products.publisher.subscriberCount == 0)
      shop.products.publisher.updateData([])
      await shop.products.publisher.drain()
      #expect(shop.products.publisher.subscriberCount == 0)
    }
  }
}
