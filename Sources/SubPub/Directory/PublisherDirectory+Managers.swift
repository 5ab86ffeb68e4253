extension PublisherDirectory {
  /// Registers a manager's publisher for its type, and the manager for ``logoutAll()``.
  ///
  /// A manager that is an object is held weakly, and its publisher goes with it. A manager that is a value is held
  /// until the directory is released, and so is its publisher. Registering a manager again changes nothing: objects are
  /// the same if they are identical, values if they have the same type and publisher.
  ///
  /// - Parameter manager: The manager.
  /// - Precondition: The type has no other living publisher. See ``register(_:)-(Publisher<Value>)``.
  public func register(_ manager: some Manager) {
    let publisher = manager.publisher
    register(publisher)
    let new = ManagerEntry(manager, publisher.registry)
    while true {
      let existing = state.withLock { $0.managers[new.key] }
      // The caller holds the object, so a living object at its address is the same one.
      if let existing, !existing.isGone { return }
      let isSweepDue = state.withLock { state in
        state.managers.add(new, for: new.key, insteadOf: existing) ? state.managers.isSweepDue : nil
      }
      guard let isSweepDue else { continue }
      if isSweepDue { sweepManagers(of: new.registry) }
      return
    }
  }

  /// Removes managers that are gone or whose publishers are gone.
  ///
  /// Of the living publishers, only the managers of the given one are checked, which the caller holds. Checking any
  /// other manager would hold its publisher for a moment, and might keep a successor from taking its place.
  private func sweepManagers(of registry: PublisherRegistry) {
    sweep(\.managers) { $0.registry.hasEnded || ($0.registry === registry && $0.isGone) }
  }

  /// Logs out every living manager that was registered before this call.
  ///
  /// Each manager's `logout()` is called once, in the order of registration, on the calling thread, while no lock is
  /// held. A manager lives at least until its `logout()` has returned, and so does its publisher, but another publisher
  /// of its type may be registered in the meantime. A publisher without a manager stays as it is, because nothing says
  /// that it depends on a login.
  ///
  /// - Complexity: O(*n* log *n*) in the number of managers.
  public func logoutAll() { sweep(\.managers) { !logout($0) } }

  /// Logs out one manager, and marks its publisher for as long as the manager is held.
  private func logout(_ manager: ManagerEntry) -> Bool {
    let id = manager.registry.source
    state.withLock { $0.beginLogout(of: id) }
    defer { state.withLock { $0.endLogout(of: id) } }
    return manager.logout()
  }
}

/// A manager in a directory.
final class ManagerEntry: Sendable {
  /// An object is identified by itself, and a value by its type and publisher.
  enum Key: Hashable {
    case object(ObjectIdentifier)
    case value(ObjectIdentifier, PublisherID)
  }

  let key: Key
  /// The registry of the publisher.
  let registry: PublisherRegistry
  private weak let object: (any AnyObject & Manager)?
  private let value: (any Manager)?

  init(_ manager: some Manager, _ registry: PublisherRegistry) {
    self.registry = registry
    // A cast to `AnyObject` alone would put a value into a box that dies immediately. No box is a manager.
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

  /// Whether the manager is gone; loads it, and may be the last to release it.
  var isGone: Bool { value == nil && object == nil }

  /// Calls the manager's `logout()`, which is foreign code; returns false if the manager is gone.
  func logout() -> Bool {
    guard let manager = value ?? object else { return false }
    manager.logout()
    return true
  }
}
