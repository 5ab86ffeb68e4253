import SubPub
import SubPubTesting

extension SampleApp {
  /// One manager with its endpoint, and the screens that look at what it publishes.
  ///
  /// Everything happens on the thread that runs the executor, so what is plain here is touched by that one only.
  final class Stage<M: Manager>: @unchecked Sendable {
    typealias Load = @Sendable (M, Action) async -> Void

    let publisher: Publisher<M.Value>
    let notary: Notary<M.Value>
    let endpoint: Endpoint
    private(set) var screens: [any Screen<M.Value>]
    /// Waits that were begun, and those that have ended.
    private(set) var waits = (begun: 0, ended: 0)
    private var manager: M?
    private var waiting: [[Task<Void, Never>]]
    private let load: Load
    private let executor: ManualExecutor

    init(
      _ manager: M, _ endpoint: Endpoint, _ notary: Notary<M.Value>, _ executor: ManualExecutor,
      items: @escaping @Sendable (M.Value) -> [Item], load: @escaping Load
    ) {
      self.manager = manager
      self.endpoint = endpoint
      self.notary = notary
      self.executor = executor
      self.load = load
      publisher = manager.publisher
      screens = [TypedScreen(executor, items), TypelessScreen(items), ActorScreen(executor, items)]
      waiting = screens.map { _ in [] }
      publisher.subscribe(notary, on: .immediate)
    }

    func act(_ action: Action, of screen: Int) {
      guard let manager else { return }
      switch action {
      case .appear:
        screens[screen].attend(publisher)
        Cause.$current.withValue(.appear) { manager.refreshIfNeeded() }
      case .pull: wait(screen, .pull, action, manager)
      case .force: wait(screen, .force, action, manager)
      case .nextPage: wait(screen, .nextPage, action, manager)
      case .leave:
        let left = waiting[screen]
        waiting[screen] = []
        Cause.$current.withValue(.leave) { for task in left { task.cancel() } }
      case .logout:
        endpoint.nextLogin()
        Cause.$current.withValue(.logout) { manager.logout() }
      }
    }

    private func wait(_ screen: Int, _ cause: Cause, _ action: Action, _ manager: M) {
      waits.begun += 1
      let task = Task.detached(executorPreference: executor) { [self] in
        await Cause.$current.withValue(cause) { await load(manager, action) }
        waits.ended += 1
      }
      waiting[screen].append(task)
    }

    /// Nobody holds the manager but those who still wait.
    func release() {
      waiting = []
      Cause.$current.withValue(.release) { manager = nil }
    }
  }
}
