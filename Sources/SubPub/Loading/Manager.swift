/// Asks for data, drives a publisher with what comes, and clears it at logout.
///
/// Whoever shows the data subscribes to `publisher`, and calls `refreshIfNeeded()` when it is about to be looked at.
public protocol Manager<Value>: Sendable {
  associatedtype Value: Sendable
  /// What the manager needs of its surroundings, handed over at the start.
  associatedtype Services = Void

  /// Who tells the subscribers. The same one for as long as the manager lives.
  var publisher: Publisher<Value> { get }

  /// The program is set up. Does nothing unless a manager says otherwise.
  func start(with services: Services)

  /// Loads what is unknown, and mends errors and stale data; nothing else. Returns at once.
  func refreshIfNeeded()

  /// Forgets everything that belongs to whoever was logged in. Resets the publisher unless a manager says otherwise.
  func logout()
}

extension Manager {
  /// Does nothing.
  public func start(with services: Services) {}

  /// Resets the publisher.
  public func logout() { publisher.reset() }
}
