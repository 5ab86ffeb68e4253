import Dispatch
import SubPub
import Testing

extension SeedTests {
  @Suite("GenericPublisher: one publisher, many subscribers, and a typed contract on both sides")
  struct GenericPublisherTests {
    /// A screen: it can't be subscribed to anything but lists of `DataModel`.
    @MainActor final class ListViewController: MainActorTypedSubscriber {
      private(set) var rows: [String] = []
      private(set) var isSpinning = false
      private(set) var alert: String?

      func receive(_ state: LoadState<[DataModel]>) {
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

    /// Works off the main actor, on a queue of its own.
    final class SearchIndex: TypedSubscriber {
      let words = Locked<Set<String>>([])

      func receive(_ state: LoadState<[DataModel]>) {
        guard case .loaded(let models) = state else { return }
        words.withLock { $0 = Set(models.map(\.name)) }
      }
    }

    @Test("one publisher broadcasts to many subscribers, each where it wants to be called")
    @MainActor func oneToMany() async {
      let publisher = Publisher<[DataModel]>()
      let (first, second) = (ListViewController(), ListViewController())
      let index = SearchIndex()
      publisher.subscribe(first)
      publisher.subscribe(second)
      publisher.subscribe(index, on: .queue(DispatchQueue(label: "search")))

      publisher.startLoading()
      await publisher.drain()
      #expect(first.isSpinning && second.isSpinning)

      publisher.updateData([DataModel("apple"), DataModel("pear")])
      await publisher.drain()
      #expect(first.rows == ["apple", "pear"])
      #expect(second.rows == ["apple", "pear"])
      #expect(index.words.withLock { $0 } == ["apple", "pear"])
      #expect(!first.isSpinning)

      publisher.setError(EndpointError.offline)
      await publisher.drain()
      #expect(first.alert == "offline")
      #expect(first.rows == ["apple", "pear"])
    }

    @Test("subscribers of any class stand in one list, without a wrapper that erases their type")
    func noAnySubscriber() {
      let publisher = Publisher<[DataModel]>(label: "news")
      let (index, log) = (SearchIndex(), Log("log", to: Journal()))
      let subscribers: [any TypedSubscriber<[DataModel]>] = [index, log]
      for subscriber in subscribers { publisher.subscribe(subscriber, on: .immediate) }
      publisher.updateData([DataModel("apple")])
      #expect(index.words.withLock { $0 } == ["apple"])
      #expect(log.journal.entries == ["log: unknown of news", "log: loaded of news"])
    }

    /// Two that are equal are still two, and nobody has to be hashable.
    final class Log: TypedSubscriber, Equatable {
      let name: String
      let journal: Journal<String>

      init(_ name: String, to journal: Journal<String>) {
        self.name = name
        self.journal = journal
      }

      static func == (left: Log, right: Log) -> Bool { true }

      func receive(_ state: LoadState<[DataModel]>) {}

      func receive(_ publication: Publication<[DataModel]>) {
        journal.add("\(name): \(publication.phase) of \(publication.source)")
      }
    }

    @Test("identity decides who is subscribed: equal subscribers are two, the same one again is none")
    func identity() {
      let publisher = Publisher<[DataModel]>(label: "news")
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

    @Test("an object may subscribe to several publishers of its type, and hears which one it is")
    func manyToMany() {
      let (today, tomorrow) = (Publisher<[DataModel]>(label: "today"), Publisher<[DataModel]>(label: "tomorrow"))
      let journal = Journal<String>()
      let log = Log("log", to: journal)
      today.subscribe(log, on: .immediate)
      tomorrow.subscribe(log, on: .immediate)
      tomorrow.startLoading()
      withExtendedLifetime(log) { today.setError(EndpointError.offline) }
      #expect(
        journal.entries == [
          "log: unknown of today", "log: unknown of tomorrow", "log: loading of tomorrow", "log: error of today",
        ])
    }
  }
}
