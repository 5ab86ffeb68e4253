import SubPub

extension SeedTests {
  /// A screen as the document writes it: it maps each state that is published to a state of its view.
  @MainActor final class PublisherViewController: MainActorSubscriber {
    enum ViewState: Equatable {
      case blank
      case loading
      case loaded([DataModel])
      case error(String)
    }

    private let manager: DataManager
    private(set) var viewState = ViewState.blank {
      didSet { changes.append(viewState) }
    }
    private(set) var changes: [ViewState] = []

    init(_ manager: DataManager) { self.manager = manager }

    func viewDidLoad() { manager.publisher.subscribe(self) }

    // Try to clear any errors when user visits screen
    func viewWillAppear() { manager.refreshIfNeeded() }

    func receive(_ publication: any AnyPublication) {
      if let publication = publication as? Publication<[DataModel]> {
        switch publication.state {
        case .loaded(let newData):
          viewState = .loaded(newData)
        case .error(let theError, _):
          viewState = .error("\(theError)")
        case .loading:
          // .loading(let oldData) would include any previous data, if available
          viewState = .loading
        case .unknown:
          // Clear out UI as needed if logout is a factor
          viewState = .blank
        }
      }
    }
  }
}
