import SubPub
import SubPubTesting
import Testing

extension SeedTests {
  @Suite("SubPub on screen: a view controller shows what its manager publishes")
  @MainActor struct ViewControllerTests {
    let endpoint = DataEndpoint()
    let apples = [DataModel("apple")]

    @Test("each state becomes a view state, whatever thread it was published from")
    func viewStates() async {
      let manager = DataManager(endpoint)
      let screen = PublisherViewController(manager)
      screen.viewDidLoad()
      manager.getData()
      await Task.detached { [endpoint, apples] in endpoint.answer(.success(apples)) }.value
      manager.getData()
      endpoint.answer(.failure(EndpointError.offline))
      manager.logout()
      await manager.publisher.drain()
      #expect(screen.changes == [.blank, .loading, .loaded(apples), .loading, .error("offline"), .blank])
    }

    @Test("a screen that opens late shows what is there")
    func late() async {
      let manager = DataManager(endpoint)
      manager.getData()
      endpoint.answer(.success(apples))
      let screen = PublisherViewController(manager)
      screen.viewDidLoad()
      await manager.publisher.drain()
      #expect(screen.changes == [.loaded(apples)])
    }

    @Test("a screen may be dismissed without a word; the manager and the other screens go on")
    func dismissed() async {
      let manager = DataManager(endpoint)
      let other = PublisherViewController(manager)
      other.viewDidLoad()
      weak var probe: PublisherViewController?
      do {
        let screen = PublisherViewController(manager)
        probe = screen
        screen.viewDidLoad()
        #expect(manager.publisher.subscriberCount == 2)
        withExtendedLifetime(screen) {}
      }
      #expect(probe == nil)
      #expect(manager.publisher.subscriberCount == 1)
      manager.getData()
      await manager.publisher.drain()
      #expect(other.viewState == .loading)
    }

    @Test("visiting a screen that shows an error tries again")
    func refreshAfterError() async {
      let manager = DataManager(endpoint)
      let screen = PublisherViewController(manager)
      screen.viewDidLoad()
      manager.getData()
      endpoint.answer(.failure(EndpointError.offline))
      screen.viewWillAppear()
      #expect(endpoint.requests == 1)
      endpoint.answer(.success(apples))
      await manager.publisher.drain()
      #expect(screen.viewState == .loaded(apples))
    }

    @Test("visiting a screen loads again what has become stale, and only that")
    func refreshWhenStale() {
      let clock = ManualClock()
      let manager = DataManager(endpoint, staleAfter: .seconds(60), clock: clock)
      let screen = PublisherViewController(manager)
      screen.viewWillAppear()
      #expect(endpoint.requests == 0)  // unknown: whoever wants data asks for it
      manager.getData()
      screen.viewWillAppear()
      #expect(endpoint.requests == 1)  // it is on its way
      endpoint.answer(.success(apples))
      clock.advance(by: .seconds(59))
      screen.viewWillAppear()
      #expect(endpoint.requests == 0)
      clock.advance(by: .seconds(2))
      screen.viewWillAppear()
      #expect(endpoint.requests == 1)
      #expect(manager.publisher.state == .loading(previous: apples))
      endpoint.answer(.success(apples))
      screen.viewWillAppear()
      #expect(endpoint.requests == 0)
    }
  }
}
