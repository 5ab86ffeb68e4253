/// An object that loads data, publishes it, and clears it at logout.
///
/// Subscribe to ``publisher`` to show the data, and call ``refreshIfNeeded()`` whenever the data is about to be shown.
public protocol Manager<Value>: Sendable {
  /// The type of the data.
  associatedtype Value: Sendable
  /// The services that the manager needs when it starts.
  associatedtype Services = Void

  /// The publisher of the data: the same one for as long as the manager lives.
  var publisher: Publisher<Value> { get }

  /// Starts the manager once the program is set up; does nothing by default.
  ///
  /// - Parameter services: The services that the manager needs.
  func start(with services: Services)

  /// Loads data that is unknown or stale, and tries again after an error; otherwise does nothing.
  ///
  /// Returns without waiting.
  func refreshIfNeeded()

  /// Forgets everything that belongs to the user who has logged out; resets the publisher by default.
  func logout()
}

extension Manager {
  /// Does nothing.
  public func start(with services: Services) {}

  /// Resets the publisher.
  public func logout() { publisher.reset() }
}
