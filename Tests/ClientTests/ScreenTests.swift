import SubPub
import SubPubTesting
import Synchronization
import Testing

extension ClientTests {
  /// A stand-in for a remote service, whose requests wait until the test answers.
  nonisolated final class DataEndpoint: Sendable {
    typealias Response = @Sendable (Result<[Product], any Error>) -> Void

    private let waiting = Mutex<[Response]>([])

    func getShipment(_ response: @escaping Response) { waiting.withLock { $0.append(response) } }

    /// How many requests wait for an answer.
    var requests: Int { waiting.withLock { $0.count } }

    /// Answers every request.
    func answer(_ result: Result<[Product], any Error>) {
      let responses = waiting.withLock { waiting in
        defer { waiting = [] }
        return waiting
      }
      for response in responses { response(result) }
    }
  }

  /// The document's manager, which owns a publisher and drives it by hand.
  nonisolated final class DataManager: Sendable {
    let publisher: Publisher<[Product]>
    private let endpoint: DataEndpoint

    init(_ endpoint: DataEndpoint, staleAfter: Duration? = nil, clock: any Clock<Duration> = ContinuousClock()) {
      self.endpoint = endpoint
      publisher = Publisher(label: "shipment", staleAfter: staleAfter, clock: clock)
    }

    func getData() {
      publisher.startLoading()
      endpoint.getShipment { [publisher] response in
        switch response {
        case .success(let newData): publisher.updateData(newData)
        case .failure(let error): publisher.setError(error)
        }
      }
    }

    func refreshIfNeeded() {
      switch publisher.state {
      case .error: getData()
      case .loaded: if publisher.isStale { getData() }
      case .unknown, .loading: break
      }
    }

    func logout() { publisher.reset() }
  }

  /// The document's screen, which maps each published state to a state of its view.
  @MainActor final class PublisherViewController: MainActorSubscriber {
    nonisolated enum ViewState: Equatable {
      case blank
      case loading
      case loaded([Product])
      case error(String)
    }

    private let manager: DataManager
    private(set) var viewState = ViewState.blank {
      didSet { changes.append(viewState) }
    }
    private(set) var changes: [ViewState] = []

    init(_ manager: DataManager) { self.manager = manager }

    func viewDidLoad() { manager.publisher.subscribe(self) }

    func viewWillAppear() { manager.refreshIfNeeded() }

    func receive(_ publication: any AnyPublication) {
      if let publication = publication as? Publication<[Product]> {
        switch publication.state {
        case .loaded(let newData): viewState = .loaded(newData)
        case .error(let theError, _): viewState = .error("\(theError)")
        case .loading: viewState = .loading
        case .unknown: viewState = .blank
        }
      }
    }
  }

  @Suite("SubPub: a view controller shows what its manager publishes")
  @MainActor struct ViewControllerTests {
    let endpoint = DataEndpoint()
    let apples = [Product("apple")]

    @Test("each state becomes a view state, whatever thread publishes it")
    func viewStates() async {
      let manager = DataManager(endpoint)
      let screen = PublisherViewController(manager)
      screen.viewDidLoad()
      manager.getData()
      await Task.detached { [endpoint, apples] in endpoint.answer(.success(apples)) }.value
      manager.getData()
      #expect(manager.publisher.state == .loading(previous: apples))
      endpoint.answer(.failure(Failure.offline))
      #expect(manager.publisher.state == .error(Failure.offline, previous: apples))
      manager.logout()
      #expect(manager.publisher.state == .unknown)
      await manager.publisher.drain()
      #expect(screen.changes == [.blank, .loading, .loaded(apples), .loading, .error("offline"), .blank])
    }

    @Test("a screen that opens late shows the current state and none before it")
    func late() async {
      let manager = DataManager(endpoint)
      manager.getData()
      endpoint.answer(.success(apples))
      let screen = PublisherViewController(manager)
      screen.viewDidLoad()
      await manager.publisher.drain()
      #expect(screen.changes == [.loaded(apples)])
    }

    @Test("a screen can be dismissed without unsubscribing; other screens go on")
    func dismissed() async {
      let manager = DataManager(endpoint)
      let other = PublisherViewController(manager)
      other.viewDidLoad()
      expectReleased {
        let screen = PublisherViewController(manager)
        screen.viewDidLoad()
        #expect(manager.publisher.subscriberCount == 2)
        return screen
      }
      #expect(manager.publisher.subscriberCount == 1)
      manager.getData()
      await manager.publisher.drain()
      #expect(other.viewState == .loading)
    }

    @Test("a screen that appears with an error loads again")
    func refreshAfterError() async {
      let manager = DataManager(endpoint)
      let screen = PublisherViewController(manager)
      screen.viewDidLoad()
      manager.getData()
      endpoint.answer(.failure(Failure.offline))
      screen.viewWillAppear()
      #expect(endpoint.requests == 1)
      endpoint.answer(.success(apples))
      await manager.publisher.drain()
      #expect(screen.viewState == .loaded(apples))
    }

    @Test("a screen that appears loads stale data again, and leaves fresh data and active loads alone")
    func refreshWhenStale() {
      let clock = ManualClock()
      let manager = DataManager(endpoint, staleAfter: .seconds(60), clock: clock)
      let screen = PublisherViewController(manager)
      screen.viewWillAppear()
      #expect(endpoint.requests == 0, "the document's refreshIfNeeded() doesn't load unknown data")
      manager.getData()
      screen.viewWillAppear()
      #expect(endpoint.requests == 1)
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
