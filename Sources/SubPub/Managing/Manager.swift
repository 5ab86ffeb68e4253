/// An object that loads data, publishes it, and clears it at logout.
///
/// Subscribe to ``publisher`` to show the data, and call ``refreshIfNeeded()`` whenever the data is about to be shown.
public protocol Manager<Value>: Sendable {
  /// The type of the data.
  associatedtype Value: Sendable

  /// The publisher of the data: the same one for as long as the manager lives.
  var publisher: Publisher<Value> { get }

  /// Loads the data, and waits until the load has ended.
  ///
  /// By default, calls ``refreshIfNeeded()``, and waits while the state is `loading`. For this to work,
  /// `refreshIfNeeded()` must publish `loading`, or its result, before it returns.
  ///
  /// - Returns: The state that the load has ended with.
  @discardableResult
  func refresh() async -> LoadState<Value>

  /// Loads data that is unknown or stale, and tries again after an error; otherwise does nothing.
  ///
  /// Returns without waiting.
  func refreshIfNeeded()

  /// Makes the data stale, and publishes nothing; does nothing by default.
  ///
  /// For managers whose data can be stale. ``ManagerFamily/invalidate(where:)`` calls it.
  func invalidate()

  /// Forgets everything that belongs to the user who logs out; resets the publisher by default.
  func logout()

  /// Waits until everything that was requested of the manager's caches is done; does nothing by default.
  ///
  /// A manager that is made of other managers should await theirs. ``PublisherDirectory/waitForCaches()`` calls it.
  func waitForCache() async
}

extension Manager {
  /// Calls ``refreshIfNeeded()``, and waits while the state is `loading`.
  ///
  /// Returns early if the task is cancelled.
  ///
  /// - Returns: The current state.
  @discardableResult
  public func refresh() async -> LoadState<Value> {
    refreshIfNeeded()
    for await state in publisher.states(buffering: .latest) where state.phase != .loading { return state }
    return publisher.state
  }

  /// Does nothing.
  public func invalidate() {}

  /// Resets the publisher.
  public func logout() { publisher.reset() }

  /// Does nothing.
  public func waitForCache() async {}
}

/// A manager whose loads its family may limit.
protocol LimitedManager {
  /// Lets loads begin with the permits of a family, which may be none; does nothing if the manager has a family.
  func join(_ permits: Permits?)
}

extension LoadingManager: LimitedManager { func join(_ permits: Permits?) { driver.join(permits) } }
extension PagedManager: LimitedManager { func join(_ permits: Permits?) { driver.join(permits) } }

extension Manager {
  /// For the message about subscribing to a manager.
  @available(*, unavailable, message: "a manager has a publisher: `manager.publisher.subscribe(…)`")
  @discardableResult
  public func subscribe<S>(
    _ subscriber: S, on context: DeliveryContext = .main, buffering: BufferingPolicy = .unbounded,
    ifDuplicate: DuplicatePolicy = .allow,
    handler: @escaping @Sendable (S, LoadState<Value>) -> Void = { _, _ in }
  ) -> Subscription { neverCalled() }
}
