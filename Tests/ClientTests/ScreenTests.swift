import SubPub
import SubPubTesting
import Testing

extension ClientTests {
  /// A stand-in for a remote service: its requests, which wait until the test answers.
  typealias DataEndpoint = Journal<@Sendable (Result<[Product], any Error>) -> Void>

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
      endpoint.add { [publisher] response in
        switch response {
        case .success(let newData): publisher.updateData(newData)
        case .failure(let error): publisher.setError(error)
        }
      }
    }

    func logout() { publisher.reset() }
  }

  /// A wrapper, which tells a list of names from any other.
  nonisolated struct SongNames: Equatable, Sendable { let names: [String] }

  /// The document's screen, which maps each state that a publisher has to a state of its view.
  @MainActor final class PublisherViewController: MainActorSubscriber {
    nonisolated enum ViewState: Equatable {
      case blank
      case loading
      case loaded([String])
      case error(String)
      case unhandled(String)
    }

    private let manager: DataManager
    private(set) var changes: [ViewState] = []

    init(_ manager: DataManager) { self.manager = manager }

    func viewDidLoad() { manager.publisher.subscribe(self) }

    func receive(_ publication: any AnyPublication) {
      Here.assertMainActor()
      if let publication = publication as? Publication<[Product]> {
        handleProducts(publication)
      } else if let publication = publication as? Publication<SongNames> {
        if case .loaded(let songs) = publication.state { changes.append(.loaded(songs.names)) }
      } else {
        changes.append(.unhandled("\(publication.valueType) of \(publication.source)"))
      }
    }

    private func handleProducts(_ publication: Publication<[Product]>) {
      switch publication.state {
      case .loaded(let newData): changes.append(.loaded(newData.map(\.name)))
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
    let apples = [Product(name: "apple")]

    /// Answers the last request.
    private func answer(_ result: Result<[Product], any Error>) { endpoint.entries.last?(result) }

    @Test("each state becomes a view state, and a screen that opens late shows the current one")
    func viewStates() async {
      let manager = DataManager(endpoint, clock: clock)
      let (screen, late) = (PublisherViewController(manager), PublisherViewController(manager))
      screen.viewDidLoad()
      manager.getData()
      await Task.detached { [endpoint, apples] in endpoint.entries.last?(.success(apples)) }.value
      late.viewDidLoad()
      manager.getData()
      answer(.failure(Failure.offline))
      manager.logout()
      await manager.publisher.drain()
      #expect(screen.changes == [.blank, .loading, .loaded(["apple"]), .loading, .error("offline"), .blank])
      #expect(late.changes == [.loaded(["apple"]), .loading, .error("offline"), .blank])
    }

    @Test("a screen consumes several publishers, recognizes unknown ones, and can be dismissed without unsubscribing")
    func severalPublishers() async {
      let (songs, albums) = (Publisher<SongNames>(), Publisher<[String]>(label: "albums"))
      var screen: PublisherViewController? = PublisherViewController(DataManager(endpoint, clock: clock))
      if let screen {
        songs.subscribe(screen)
        albums.subscribe(screen)
      }
      await albums.drain()
      songs.updateData(SongNames(names: ["Yesterday"]))
      await songs.drain()
      #expect(screen?.changes == [.unhandled("Array<String> of albums"), .loaded(["Yesterday"])])
      weak let probe = screen
      screen = nil
      #expect(probe == nil)
      #expect((songs.subscriberCount, albums.subscriberCount) == (0, 0))
    }
  }
}
