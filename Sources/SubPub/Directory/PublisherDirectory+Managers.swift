extension PublisherDirectory {
  /// Makes a manager's publisher the one of its type, and has ``logoutAll()`` log the manager out.
  ///
  /// A manager that is an object is held weakly, and its publisher goes with it. A manager that is a value is held until the
  /// directory is released, and its publisher with it. Registering a manager again changes nothing: objects are the same if
  /// they are identical, values if they have the same type and publisher.
  ///
  /// - Precondition: The type has no other living publisher. See ``register(_:)-(Publisher<Value>)``.
  public func register(_ manager: some Manager) {
    let publisher = manager.publisher
    register(publisher)
    let new = ManagerEntry(manager, publisher.registry)
    while true {
      let existing = state.withLock { $0.managers[new.key] }
      // The caller holds the object, so whatever lives at its address is the same one.
      if let existing, !existing.isGone { return }
      let isSweepDue = state.withLock { state in
        state.managers.add(new, for: new.key, insteadOf: existing) ? state.managers.isSweepDue : nil
      }
      guard let isSweepDue else { continue }
      if isSweepDue { sweepManagers(of: new.registry) }
      return
    }
  }

  /// Removes managers whose publishers are gone, and those of that publisher, which the caller holds, that are gone
  /// themselves. Loading any other manager would hold its publisher for a moment, maybe in the way of its successor.
  private func sweepManagers(of registry: PublisherRegistry) {
    sweep(\.managers) { $0.registry.hasEnded || ($0.registry === registry && $0.isGone) }
  }

  /// Calls `logout()` of every living manager that was registered before.
  ///
  /// Each is called once, in the order in which they were registered, on this thread, while no lock is held. A manager lives
  /// at least until its `logout()` has returned, and so does its publisher, but another one of its type may be registered
  /// meanwhile. A publisher without a manager stays as it is, as nobody has said that it depends on a login.
  public func logoutAll() { sweep(\.managers) { !logout($0) } }

  /// Marks the logout before it holds the manager, and until it has released it.
  private func logout(_ manager: ManagerEntry) -> Bool {
    let id = manager.registry.source
    state.withLock { $0.beginLogout(of: id) }
    defer { state.withLock { $0.endLogout(of: id) } }
    return manager.logout()
  }
}

/// A manager in a directory.
final class ManagerEntry: Sendable {
  /// An object is itself. A value has no identity but that of its publisher.
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

  /// Loads the manager, and may be the last to release it.
  var isGone: Bool { value == nil && object == nil }

  /// Foreign code. False if the manager is gone.
  func logout() -> Bool {
    guard let manager = value ?? object else { return false }
    manager.logout()
    return true
  }
}
