import SubPub

/// Has a manager load again and again.
///
/// It knows nothing of who listens, and nothing of how the manager loads. Whoever else asks the manager meanwhile
/// shares its load.
struct Refresher<Value: Sendable>: Sendable {
  private let manager: LoadingManager<Value>
  private let interval: Duration

  init(_ manager: LoadingManager<Value>, every interval: Duration) {
    self.manager = manager
    self.interval = interval
  }

  /// Runs until the task is cancelled. A load that is under way then is given up, and its publisher shows what it
  /// showed before, as nobody else waits for it.
  func start() -> Task<Void, Never> {
    Task {
      while !Task.isCancelled {
        await manager.refresh()
        do {
          try await Task.sleep(for: interval)
        } catch {
          return  // cancelled: the program is about to end
        }
      }
    }
  }
}
