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
        alert = nil
        switch state {
        case .unknown: rows = []
        case .loading(let previous):
          rows = (previous ?? []).map(\.name)
          isSpinning = true
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

    @Test("one publisher broadcasts to many subscribers, each on the context of its choice")
    @MainActor func oneToMany() async {
      let publisher = Publisher<[Product]>()
      let (first, second, index) = (ListViewController(), ListViewController(), SearchIndex())
      publisher.subscribe(first)
      publisher.subscribe(second)
      publisher.subscribe(index, on: .queue(index.queue))

      publisher.startLoading()
      #expect(!first.isSpinning, "never before the publish returns")
      await publisher.drain()
      #expect(first.isSpinning && second.isSpinning)

      publisher.updateData([Product("apple"), Product("pear")])
      await publisher.drain()
      #expect(first.rows == ["apple", "pear"])
      #expect(second.rows == ["apple", "pear"])
      #expect(index.words.entries == [["apple", "pear"]])
      #expect(!first.isSpinning)

      publisher.setError(Failure.offline)
      await publisher.drain()
      #expect(first.alert == "offline")
      #expect(first.rows == ["apple", "pear"])
    }

    /// A class whose instances are all equal, and which isn't hashable.
    nonisolated final class Log: TypedSubscriber, Equatable {
      let name: String
      let journal: Journal<String>

      init(_ name: String, to journal: Journal<String> = Journal()) { (self.name, self.journal) = (name, journal) }

      static func == (left: Log, right: Log) -> Bool { true }

      func receive(_ state: LoadState<[Product]>) { Issue.record("the publication is asked for") }

      func receive(_ publication: Publication<[Product]>) {
        journal.add("\(name): \(publication.phase) of \(publication.source)")
      }
    }

    @Test("subscribers of any class fit into one array without a type-erasing wrapper")
    func noAnySubscriber() async {
      let publisher = Publisher<[Product]>(label: "news")
      let (index, log) = (SearchIndex(), Log("log"))
      let subscribers: [any TypedSubscriber<[Product]>] = [index, log]
      for subscriber in subscribers {
        publisher.subscribe(subscriber, on: .queue(index.queue), buffering: .unbounded, ifDuplicate: .replaceSameType)
      }
      publisher.updateData([Product("apple")])
      await publisher.drain()
      #expect(index.words.entries == [["apple"]])
      #expect(log.journal.entries == ["log: unknown of news", "log: loaded of news"])
    }

    @Test("identity decides who is subscribed: equal objects subscribe separately, and the same object only once")
    func identity() {
      let publisher = Publisher<[Product]>(label: "news")
      let journal = Journal<String>()
      let (first, second) = (Log("first", to: journal), Log("second", to: journal))
      let standing = publisher.subscribe(first, on: .immediate)
      publisher.subscribe(second, on: .immediate)
      #expect(publisher.subscribe(first, on: .immediate) == standing)
      #expect(publisher.subscriberCount == 2)
      withExtendedLifetime((first, second)) { publisher.startLoading() }
      #expect(
        journal.entries == [
          "first: unknown of news", "second: unknown of news", "first: loading of news", "second: loading of news",
        ])
    }

    @Test("an object can subscribe to several publishers of its type and tell which one publishes")
    func manyToMany() {
      let (today, tomorrow) = (Publisher<[Product]>(label: "today"), Publisher<[Product]>(label: "tomorrow"))
      let log = Log("log")
      today.subscribe(log, on: .immediate)
      tomorrow.subscribe(log, on: .immediate)
      tomorrow.startLoading()
      today.setError(Failure.offline)
      #expect(
        log.journal.entries == [
          "log: unknown of today", "log: unknown of tomorrow", "log: loading of tomorrow", "log: error of today",
        ])
    }

    @MainActor final class VersionLabel: MainActorTypedSubscriber {
      private(set) var versions: [UInt64] = []
      func receive(_ state: LoadState<Int>) { Issue.record("the publication is asked for") }
      func receive(_ publication: Publication<Int>) {
        Here.assertMainActor()
        versions.append(publication.version)
      }
    }

    @Test("a screen gets versions if it asks for publications")
    @MainActor func versions() async {
      let (publisher, label) = (Publisher<Int>(), VersionLabel())
      publisher.subscribe(label, buffering: .unbounded, ifDuplicate: .allow)
      publishThree(publisher)
      await publisher.drain()
      #expect(label.versions == [0, 1, 2, 3])
    }

    nonisolated final class TwoFaces: Subscriber, TypedSubscriber {
      let faces = Journal<String>()
      private let thread = Here.thread

      func receive(_ publication: any AnyPublication) {
        #expect(Here.thread == thread)
        faces.add("type-less")
      }

      func receive(_ state: LoadState<Int>) {
        #expect(Here.thread == thread)
        faces.add("typed")
      }
    }

    @Test("a class with both faces gets the typed one, and the other for the asking or from another type")
    func twoFaces() {
      let publisher = Publisher<Int>()
      let both = TwoFaces()
      publisher.subscribe(both, on: .immediate)
      #expect(both.faces.entries == ["typed"])
      publisher.subscribe(both as any Subscriber, on: .immediate)
      #expect(both.faces.entries == ["typed", "type-less"])
      publisher.republish()
      #expect(both.faces.entries.count == 4, "two faces are two subscriptions")

      let names = Publisher<String>()
      names.subscribe(both, on: .immediate)
      #expect(both.faces.entries.last == "type-less")
    }

    @MainActor final class TwoFacedScreen: MainActorSubscriber, MainActorTypedSubscriber {
      private(set) var faces: [String] = []

      func receive(_ publication: any AnyPublication) {
        Here.assertMainActor()
        faces.append("type-less")
      }

      func receive(_ state: LoadState<Int>) {
        Here.assertMainActor()
        faces.append("typed")
      }
    }

    @Test("so does a screen with both faces")
    @MainActor func twoFacesOnTheMainActor() async {
      let (publisher, screen) = (Publisher<Int>(), TwoFacedScreen())
      publisher.subscribe(screen)
      await publisher.drain()
      publisher.subscribe(screen as any MainActorSubscriber)
      await publisher.drain()
      #expect(screen.faces == ["typed", "type-less"])
    }
  }
}
