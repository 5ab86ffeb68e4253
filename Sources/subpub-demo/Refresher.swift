import SubPub

/// A task that makes a manager load repeatedly.
///
/// It knows neither the subscribers nor how the manager loads. Other callers that request a load in the meantime share
/// it.
struct Refresher<Value: Sendable>: Sendable {
  private let manager: LoadingManager<Value>
  private let interval: Duration

  init(_ manager: LoadingManager<Value>, every interval: Duration) {
    self.manager = manager
    self.interval = interval
  }

  /// Starts the task, which runs until it is cancelled.
  ///
  /// A load that is active then is cancelled, because no other task waits for it, and its publisher returns to the
  /// previous state.
  func start() -> Task<Void, Never> {
    Task {
      while !Task.isCancelled {
        await manager.refresh()
        do {
          try await Task.sleep(for: interval)
        } catch {
          return  // cancelled, as the program is about to end
        }
      }
    }
  }
}
