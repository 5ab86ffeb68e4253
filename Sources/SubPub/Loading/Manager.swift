/// Loads data, publishes what comes of it, and clears it at logout.
///
/// Subscribe to ``publisher`` to show the data, and call ``refreshIfNeeded()`` whenever somebody is about to look at it.
public protocol Manager<Value>: Sendable {
  /// The type of the data.
  associatedtype Value: Sendable
  /// What the manager needs from its surroundings when it starts.
  associatedtype Services = Void

  /// The publisher of the data: the same one for as long as the manager lives.
  var publisher: Publisher<Value> { get }

  /// Called once the program is set up. Does nothing by default.
  func start(with services: Services)

  /// Loads data that is unknown or stale, and tries again after an error. Otherwise does nothing. Returns at once.
  func refreshIfNeeded()

  /// Forgets everything that belongs to the user who has logged out. Resets the publisher by default.
  func logout()
}

extension Manager {
  /// Does nothing.
  public func start(with services: Services) {}

  /// Resets the publisher.
  public func logout() { publisher.reset() }
}
