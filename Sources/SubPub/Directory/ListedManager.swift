/// A manager in a directory, of whatever type.
final class ListedManager: Sendable {
  /// What tells managers apart: an object is itself; a value has no identity but that of its publisher.
  enum Key: Hashable {
    case object(ObjectIdentifier)
    case value(ObjectIdentifier, PublisherID)
  }

  let key: Key
  /// The publisher's.
  let registry: PublisherRegistry
  private weak let object: (any AnyObject & Manager)?
  private let value: (any Manager)?

  init(_ manager: some Manager, _ registry: PublisherRegistry) {
    self.registry = registry
    // A cast to `AnyObject` alone would put a value into a box that dies at once. No box is a manager.
    if let object = manager as? any AnyObject & Manager {
      key = .object(ObjectIdentifier(object))
      self.object = object
      value = nil
    } else {
      key = .value(ObjectIdentifier(type(of: manager as Any)), registry.source)
      object = nil
      value = manager
    }
  }

  /// Loads the manager, and may be the last to let go of it.
  var isGone: Bool { value == nil && object == nil }

  /// False if the manager is gone. Foreign code.
  func logout() -> Bool {
    guard let manager = value ?? object else { return false }
    manager.logout()
    return true
  }
}
