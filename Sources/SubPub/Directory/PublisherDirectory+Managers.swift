extension PublisherDirectory {
  /// Makes the manager's publisher the one of its type, and has `logoutAll` log the manager out.
  ///
  /// An object is held weakly, and its publisher goes with it. A manager that is a value is held until the directory is
  /// released, and its publisher with it. To register a manager again changes nothing: an object is the same if it is the
  /// same object, a value if it has the same type and publisher. For the rest see the other `register`.
  public func register(_ manager: some Manager) {
    let publisher = manager.publisher
    register(publisher)
    let new = ListedManager(manager, publisher.id)
    while true {
      let standing = state.withLock { $0.managers[new.key] }
      // The caller holds the object, so who lives at its place is the same.
      if let standing, !standing.isGone { return }
      let isSweepDue = state.withLock { state in
        state.managers.add(new, for: new.key, insteadOf: standing) ? state.managers.isSweepDue : nil
      }
      guard let isSweepDue else { continue }
      if isSweepDue { _ = sweep(\.managers, isGone: \.isGone) }
      return
    }
  }

  /// Calls `logout` of every manager that was registered before this call and still lives: once each, in the order in
  /// which they were registered, on this thread, under no lock.
  ///
  /// A publisher without a manager stays as it is: nobody said that it depends on a login.
  public func logoutAll() {
    for manager in sweep(\.managers, isGone: \.isGone) { manager.logout() }
  }
}
