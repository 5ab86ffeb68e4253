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

    /// Answers every request, and returns how many there were.
    @discardableResult func answer(_ result: Result<[Product], any Error>) -> Int {
      let responses = waiting.withLock { waiting in
        defer { waiting = [] }
        return waiting
      }
      for response in responses { response(result) }
      return responses.count
    }
  }

  /// The document's manager, which owns a publisher and drives it by hand.
  nonisolated final class DataManager: Sendable {
    let publisher: Publisher<[Product]>
    private let endpoint: DataEndpoint

    init(_ endpoint: DataEndpoint, clock: any Clock<Duration>) {
      self.endpoint = endpoint
      publisher = Publisher(label: "shipment", staleAfter: .seconds(60), clock: clock)
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
    private(set) var changes: [ViewState] = []

    init(_ manager: DataManager) { self.manager = manager }

    func viewDidLoad() { manager.publisher.subscribe(self) }

    func viewWillAppear() { manager.refreshIfNeeded() }

    func receive(_ publication: any AnyPublication) {
      guard let publication = publication as? Publication<[Product]> else { return }
      switch publication.state {
      case .loaded(let newData): changes.append(.loaded(newData))
      case .error(let theError, _): changes.append(.error("\(theError)"))
      case .loading: changes.append(.loading)
      case .unknown: changes.append(.blank)
      }
    }
  }

  @Suite("SubPub: a view controller shows what its manager publishes")
  @MainActor struct ViewControllerTests {
    let endpoint = DataEndpoint()
    let clock = ManualClock()
    let apples = [Product("apple")]

    @Test("each state becomes a view state, and a screen that opens late shows the current one")
    func viewStates() async {
      let manager = DataManager(endpoint, clock: clock)
      let (screen, late) = (PublisherViewController(manager), PublisherViewController(manager))
      screen.viewDidLoad()
      manager.getData()
      await Task.detached { [endpoint, apples] in _ = endpoint.answer(.success(apples)) }.value
      late.viewDidLoad()
      manager.getData()
      endpoint.answer(.failure(Failure.offline))
      manager.logout()
      await manager.publisher.drain()
      #expect(screen.changes == [.blank, .loading, .loaded(apples), .loading, .error("offline"), .blank])
      #expect(late.changes == [.loaded(apples), .loading, .error("offline"), .blank])
      expectReleased {
        let dismissed = PublisherViewController(manager)
        dismissed.viewDidLoad()
        return dismissed
      }
      #expect(manager.publisher.subscriberCount == 2)
    }

    @Test("a screen that appears loads after an error or when data is stale, and leaves all else alone")
    func refreshing() {
      let manager = DataManager(endpoint, clock: clock)
      let screen = PublisherViewController(manager)
      screen.viewWillAppear()
      #expect(manager.publisher.state == .unknown, "the document's refreshIfNeeded() doesn't load unknown data")
      manager.getData()
      screen.viewWillAppear()
      #expect(endpoint.answer(.failure(Failure.offline)) == 1)
      screen.viewWillAppear()
      #expect(endpoint.answer(.success(apples)) == 1)
      screen.viewWillAppear()
      #expect(manager.publisher.state == .loaded(apples))
      clock.advance(by: .seconds(61))
      screen.viewWillAppear()
      #expect(manager.publisher.state == .loading(previous: apples))
    }
  }
}
