import Dispatch
import SubPub
import Testing

extension ClientTests {
  @Suite("Subscriber protocols with a type: a contract on both sides")
  struct TypedSubscriberTests {
    /// A screen that can subscribe only to lists of products.
    @MainActor final class ListViewController: MainActorTypedSubscriber {
      private(set) var rows: [String] = []
      private(set) var isSpinning = false
      private(set) var alert: String?

      func receive(_ state: LoadState<[Product]>) {
        Here.assertMainActor()
        isSpinning = false
        switch state {
        case .unknown: rows = []
        case .loading: isSpinning = true
        case .loaded(let models): rows = models.map(\.name)
        case .error(let error, _): alert = "\(error)"
        }
      }
    }

    /// A subscriber that works off the main actor.
    nonisolated final class SearchIndex: TypedSubscriber {
      let queue = DispatchQueue(label: "search")
      let words = Journal<[String]>()

      func receive(_ state: LoadState<[Product]>) {
        Here.assertQueue(queue)
        if case .loaded(let products) = state { words.add(products.map(\.name)) }
      }
    }

    /// A class whose instances are all equal, and which isn't hashable.
    nonisolated final class Log: TypedSubscriber, Equatable {
      let journal = Journal<String>()

      static func == (left: Log, right: Log) -> Bool { true }

      func receive(_ state: LoadState<[Product]>) { Issue.record("the publication is asked for") }

      func receive(_ publication: Publication<[Product]>) {
        journal.add("\(publication.phase) of \(publication.source)")
      }
    }

    @Test("one publisher broadcasts to many subscribers of any class, without a type-erasing wrapper")
    @MainActor func oneToMany() async {
      let publisher = Publisher<[Product]>(label: "news")
      let (screens, index, log) = ([ListViewController(), ListViewController()], SearchIndex(), Log())
      for screen in screens { publisher.subscribe(screen) }
      let others: [any TypedSubscriber<[Product]>] = [index, log]
      for other in others {
        publisher.subscribe(other, on: .queue(index.queue), buffering: .unbounded, ifDuplicate: .replaceSameType)
      }
      publisher.startLoading()
      #expect(!screens[0].isSpinning, "never before the publish returns")
      await publisher.drain()
      for screen in screens { #expect(screen.isSpinning) }
      publisher.updateData([Product("apple"), Product("pear")])
      publisher.setError(Failure.offline)
      await publisher.drain()
      for screen in screens { #expect((screen.rows, screen.alert) == (["apple", "pear"], "offline")) }
      #expect(index.words.entries == [["apple", "pear"]])
      #expect(log.journal.entries == ["unknown of news", "loading of news", "loaded of news", "error of news"])
    }

    @Test("an object subscribes once to each of several publishers, and one that is equal to it subscribes, too")
    func identity() {
      let (today, tomorrow) = (Publisher<[Product]>(label: "today"), Publisher<[Product]>(label: "tomorrow"))
      let (first, second) = (Log(), Log())
      let standing = today.subscribe(first, on: .immediate)
      #expect(today.subscribe(second, on: .immediate) != standing)
      #expect(today.subscribe(first, on: .immediate) == standing)
      tomorrow.subscribe(first, on: .immediate)
      today.startLoading()
      #expect(first.journal.entries == ["unknown of today", "unknown of tomorrow", "loading of today"])
      #expect(second.journal.entries == ["unknown of today", "loading of today"])
    }

    nonisolated final class TwoFaces: Subscriber, TypedSubscriber {
      let faces = Journal<String>()
      func receive(_ publication: any AnyPublication) { faces.add("type-less") }
      func receive(_ state: LoadState<Int>) { faces.add("typed") }
    }

    @MainActor final class TwoFacedScreen: MainActorSubscriber, MainActorTypedSubscriber {
      private(set) var faces: [String] = []

      func receive(_ publication: any AnyPublication) {
        Here.assertMainActor()
        faces.append("type-less")
      }

      func receive(_ publication: Publication<Int>) {
        Here.assertMainActor()
        faces.append("typed \(publication.version)")
      }
    }

    @Test("a class with both faces gets the typed one, and the other for the asking or from another type")
    @MainActor func twoFaces() async {
      let (publisher, both, screen) = (Publisher<Int>(), TwoFaces(), TwoFacedScreen())
      publisher.subscribe(both, on: .immediate)
      publisher.subscribe(both as any Subscriber, on: .immediate)
      Publisher<String>().subscribe(both, on: .immediate)
      #expect(both.faces.entries == ["typed", "type-less", "type-less"])
      publisher.republish()
      #expect(both.faces.entries.count == 5, "two faces are two subscriptions")
      publisher.subscribe(screen, buffering: .unbounded, ifDuplicate: .allow)
      publisher.subscribe(screen as any MainActorSubscriber)
      await publisher.drain()
      #expect(screen.faces == ["typed 1", "type-less"])
    }
  }

  @Suite("Subscriber protocols without a type: one function for many publishers, which tests what is published")
  struct TypelessSubscriberTests {
    /// A wrapper, which tells its lists of names from any other.
    nonisolated struct SongNames: Equatable, Sendable { let names: [String] }

    /// A screen with a function for each of its publishers.
    @MainActor final class ShopViewController: MainActorSubscriber {
      private(set) var lines: [String] = []

      func receive(_ publication: any AnyPublication) {
        Here.assertMainActor()
        if let publication = publication as? Publication<[Product]> {
          handleProducts(publication)
        } else if let publication = publication as? Publication<SongNames> {
          handleSongs(publication)
        } else {
          lines.append("unhandled: \(publication.valueType) of \(publication.source)")
        }
      }

      private func handleProducts(_ publication: Publication<[Product]>) {
        switch publication.state {
        case .unknown: lines.append("no products yet")
        case .loading(let previous): lines.append("loading, \(previous?.count ?? 0) products before")
        case .loaded(let products): lines.append("\(products.count) products")
        case .error(let error, let previous): lines.append("\(error), \(previous?.count ?? 0) products before")
        }
      }

      private func handleSongs(_ publication: Publication<SongNames>) {
        if case .loaded(let songs) = publication.state { lines += songs.names }
      }
    }

    @Test("one screen consumes several publishers, each with an exhaustive switch, and recognizes unknown ones")
    @MainActor func severalPublishers() async {
      let (products, songs, screen) = (Publisher<[Product]>(), Publisher<SongNames>(), ShopViewController())
      let albums = Publisher<[String]>(label: "albums")
      products.subscribe(screen)
      songs.subscribe(screen, buffering: .unbounded, ifDuplicate: .replace)
      products.startLoading()
      products.updateData([Product("apple")])
      products.setError(Failure.offline)
      #expect(screen.lines == [], "never before the publish returns")
      await products.drain()
      songs.updateData(SongNames(names: ["Yesterday"]))
      await songs.drain()
      albums.subscribe(screen)
      await albums.drain()
      #expect(
        screen.lines == [
          "no products yet", "loading, 0 products before", "1 products", "offline, 1 products before", "Yesterday",
          "unhandled: Array<String> of albums",
        ])
    }
  }
}
