/// Polls (5.17).
extension LoadingManager {
  /// Refreshes again and again, until the task is cancelled, the condition fails, or the manager is logged out or
  /// released (5.17).
  ///
  /// The first load begins at once, and the next one an interval after the last has ended. Loads are shared as with
  /// ``refresh()``. An error doesn't end it.
  ///
  /// The call itself doesn't keep the manager alive. A task does, if its closure captures the manager strongly:
  ///
  /// ```swift
  /// let polling = Task { [weak manager] in await manager?.refresh(every: .seconds(30)) }
  /// polling.cancel()
  /// ```
  ///
  /// - Parameters:
  ///   - interval: The pause between the end of a load and the start of the next.
  ///   - pausingWithoutListeners: Whether to wait while nobody listens to ``publisher``. When somebody arrives, a load
  ///     that is due begins at once. Subscriptions of
  ///     ``PublisherDirectory/subscribeToAll(_:on:buffering:label:)`` aren't listeners here; a derived publisher is
  ///     one.
  ///   - endingAtLogout: Whether ``logout()`` ends the poll at once. With false, it goes on for the next user.
  ///   - condition: Whether to load, given the current state. Called before each load.
  /// - Precondition: `interval` is greater than zero.
  public consuming func refresh(
    every interval: Duration, pausingWithoutListeners: Bool = false, endingAtLogout: Bool = true,
    while condition: @escaping @Sendable (LoadState<Value>) -> Bool = { _ in true }
  ) async {
    let driver = driver
    _ = consume self
    await driver.poll(
      every: interval, pausingWithoutListeners: pausingWithoutListeners, endingAtLogout: endingAtLogout,
      while: condition)
  }

  /// Refreshes again and again, with pauses that depend on the state (5.17).
  ///
  /// Everything else is as with ``refresh(every:pausingWithoutListeners:endingAtLogout:while:)``: it also ends when the
  /// task is cancelled, and when the manager is logged out or released.
  ///
  /// ```swift
  /// await manager.refresh { state in state.error == nil ? .seconds(5) : .seconds(60) }
  /// ```
  ///
  /// - Parameters:
  ///   - pause: Returns the pause between the end of a load and the start of the next, given the state that the load
  ///     has left, or nil to end the poll. Called once for each load, on no particular thread, while no lock is held.
  ///   - pausingWithoutListeners: Whether to wait while nobody listens to ``publisher``.
  ///   - endingAtLogout: Whether ``logout()`` ends the poll.
  /// - Precondition: Every pause is greater than zero.
  public consuming func refresh(
    every pause: @escaping @Sendable (LoadState<Value>) -> Duration?, pausingWithoutListeners: Bool = false,
    endingAtLogout: Bool = true
  ) async {
    let driver = driver
    _ = consume self
    await driver.poll(
      pausingWithoutListeners: pausingWithoutListeners, endingAtLogout: endingAtLogout, pause: pause)
  }
}
