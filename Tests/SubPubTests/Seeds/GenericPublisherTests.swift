import Dispatch
import SubPub
import Testing

extension SeedTests {
  @Suite("GenericPublisher: one publisher, many subscribers, and a typed contract on both sides")
  struct GenericPublisherTests {
    /// A screen that can subscribe only to lists of `DataModel`.
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

    /// A subscriber that works off the main actor.
    final class SearchIndex: TypedSubscriber {
      let words = Locked<Set<String>>([])

      func receive(_ state: LoadState<[DataModel]>) {
        guard case .loaded(let models) = state else { return }
        words.withLock { $0 = Set(models.map(\.name)) }
      }
    }

    @Test("one publisher broadcasts to many subscribers, each on the context of its choice")
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

    /// A class whose instances are all equal, and which isn't hashable.
    final class Log: TypedSubscriber, Equatable {
      let name: String
      let journal: Journal<String>

      init(_ name: String, to journal: Journal<String>) {
        self.name = name
        self.journal = journal
      }

      static func == (left: Log, right: Log) -> Bool { true }

      func receive(_ publication: Publication<[DataModel]>) {
        journal.add("\(name): \(publication.phase) of \(publication.source)")
      }
    }

    @Test("subscribers of any class fit into one array without a type-erasing wrapper")
    func noAnySubscriber() {
      let publisher = Publisher<[DataModel]>(label: "news")
      let (index, log) = (SearchIndex(), Log("log", to: Journal()))
      let subscribers: [any TypedSubscriber<[DataModel]>] = [index, log]
      for subscriber in subscribers { publisher.subscribe(subscriber, on: .immediate) }
      publisher.updateData([DataModel("apple")])
      #expect(index.words.withLock { $0 } == ["apple"])
      #expect(log.journal.entries == ["log: unknown of news", "log: loaded of news"])
    }

    @Test("identity decides who is subscribed: equal objects subscribe separately, and the same object only once")
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

    @Test("an object can subscribe to several publishers of its type and tell which one publishes")
    func manyToMany() {
      let (today, tomorrow) = (Publisher<[DataModel]>(label: "today"), Publisher<[DataModel]>(label: "tomorrow"))
      let log = Log("log", to: Journal())
      today.subscribe(log, on: .immediate)
      tomorrow.subscribe(log, on: .immediate)
      tomorrow.startLoading()
      today.setError(EndpointError.offline)
      #expect(
        log.journal.entries == [
          "log: unknown of today", "log: unknown of tomorrow", "log: loading of tomorrow", "log: error of today",
        ])
    }
  }

  @Suite("GenericPublisher without its limit: one object has a typed method for each of many publishers")
  struct GenericMethodsTests {
    /// A screen that conforms to no subscriber protocol.
    @MainActor final class Dashboard {
      private(set) var shown: [String] = []

      func subscribe(products: Publisher<[DataModel]>, visitors: Publisher<Int>) {
        products.subscribe(self) { $0.show($1) }
        visitors.subscribe(self) { dashboard, state in dashboard.count(state) }
      }

      private func show(_ state: LoadState<[DataModel]>) {
        switch state {
        case .unknown, .loading: break
        case .loaded(let models): shown.append(models.map(\.name).joined(separator: ", "))
        case .error(let error, _): shown.append("no products: \(error)")
        }
      }

      private func count(_ state: LoadState<Int>) {
        switch state {
        case .unknown, .loading: break
        case .loaded(let visitors): shown.append("\(visitors) visitors")
        case .error(let error, _): shown.append("no visitors: \(error)")
        }
      }
    }

    @Test("it subscribes to publishers of several types without testing any type")
    @MainActor func severalTypes() async {
      let products = Publisher<[DataModel]>()
      let visitors = Publisher<Int>()
      let dashboard = Dashboard()
      dashboard.subscribe(products: products, visitors: visitors)
      products.updateData([DataModel("apple")])
      await products.drain()
      visitors.updateData(3)
      await visitors.drain()
      visitors.setError(EndpointError.denied)
      await visitors.drain()
      #expect(dashboard.shown == ["apple", "3 visitors", "no visitors: denied"])
    }

    @Test("its closures don't keep it alive, and its subscriptions end with it")
    @MainActor func holdsNothing() {
      let products = Publisher<[DataModel]>()
      let visitors = Publisher<Int>()
      let isReleased = SeedTests.isReleased {
        let dashboard = Dashboard()
        dashboard.subscribe(products: products, visitors: visitors)
        #expect(products.subscriberCount == 1)
        #expect(visitors.subscriberCount == 1)
        return dashboard
      }
      #expect(isReleased)
      #expect(products.subscriberCount == 0)
      #expect(visitors.subscriberCount == 0)
    }

    actor Statistics {
      private(set) var sum = 0
      func count(_ state: LoadState<Int>) { if case .loaded(let visitors) = state { sum += visitors } }
    }

    @Test("an actor subscribes with a closure that is isolated to it")
    func actors() async {
      let visitors = Publisher<Int>()
      let statistics = Statistics()
      visitors.subscribe(statistics) { $0.count($1) }
      for number in 1...4 { visitors.updateData(number) }
      await visitors.drain()
      #expect(await statistics.sum == 10)
    }
  }
}
