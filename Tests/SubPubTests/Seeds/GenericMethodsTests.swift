import SubPub
import Testing

extension SeedTests {
  @Suite("GenericPublisher, without its limit: one object, a typed method for each of many publishers")
  struct GenericMethodsTests {
    /// Conforms to nothing.
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

    @Test("it subscribes to publishers of several types and tests no type")
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

    @Test("the closures hold it no more than a conformance would: it goes, and its subscriptions with it")
    @MainActor func holdsNothing() {
      let products = Publisher<[DataModel]>()
      let visitors = Publisher<Int>()
      weak var probe: Dashboard?
      do {
        let dashboard = Dashboard()
        probe = dashboard
        dashboard.subscribe(products: products, visitors: visitors)
        #expect(products.subscriberCount == 1)
        #expect(visitors.subscriberCount == 1)
        withExtendedLifetime(dashboard) {}
      }
      #expect(probe == nil)
      #expect(products.subscriberCount == 0)
      #expect(visitors.subscriberCount == 0)
    }

    /// An actor counts without locks.
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
