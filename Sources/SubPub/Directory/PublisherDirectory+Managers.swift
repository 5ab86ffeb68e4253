extension PublisherDirectory {
  /// Makes the manager's publisher the one of its type, and has `logoutAll` log the manager out.
  ///
  /// An object is held weakly, and its publisher goes with it. A manager that is a value is held until the directory is
  /// released, and its publisher with it. To register a manager again changes nothing: an object is the same if it is
  /// the same object, a value if it has the same type and publisher. For the rest see the other `register`.
  public func register(_ manager: some Manager) {
    let publisher = manager.publisher
    register(publisher)
    let new = ListedManager(manager, publisher.registry)
    while true {
      let standing = state.withLock { $0.managers[new.key] }
      // The caller holds the object, so who lives at its place is the same.
      if let standing, !standing.isGone { return }
      let isSweepDue = state.withLock { state in
        state.managers.add(new, for: new.key, insteadOf: standing) ? state.managers.isSweepDue : nil
      }
      guard let isSweepDue else { continue }
      if isSweepDue { sweepManagers(of: new.registry) }
      return
    }
  }

  /// Lets go of managers whose publishers are gone, and of those of that publisher that are gone themselves. The caller
  /// holds it. A look at any other manager would hold its publisher for a moment, maybe in its successor's way.
  private func sweepManagers(of registry: PublisherRegistry) {
    sweep(\.managers) { $0.registry.hasEnded || ($0.registry === registry && $0.isGone) }
  }

  /// Calls `logout` of every manager that was registered before this call and still lives: once each, in the order in
  /// which they were registered, on this thread, under no lock. A manager lives at least until its `logout` has
  /// returned, and so does its publisher; another one of its type may be registered meanwhile.
  ///
  /// A publisher without a manager stays as it is: nobody said that it depends on a login.
  public func logoutAll() { sweep(\.managers) { !logout($0) } }

  /// Says so before it holds the manager, and until it has let go of it.
  private func logout(_ manager: ListedManager) -> Bool {
    let id = manager.registry.source
    state.withLock { $0.beginLogout(of: id) }
    defer { state.withLock { $0.endLogout(of: id) } }
    return manager.logout()
  }
}
