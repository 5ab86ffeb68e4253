/// All managers at once.
extension ManagerFamily {
  /// The keys of the living managers, in no particular order.
  ///
  /// - Complexity: O(*n*) in the number of managers and their subscribers.
  public var keys: [Key] { keeper.sweep().map { Self.key($0.member) } }

  /// Calls ``Manager/refreshIfNeeded()`` of living managers: by default, of those that somebody listens to.
  ///
  /// - Parameters:
  ///   - onlyListenedTo: Whether to leave out managers whose publishers nobody listens to. They load when they are next
  ///     asked for.
  ///   - isIncluded: Whether to refresh the manager of a key. Called once for each living manager, while no lock is
  ///     held.
  /// - Complexity: O(*n*) in the number of managers and their subscribers.
  public func refreshAllIfNeeded(onlyListenedTo: Bool = true, where isIncluded: (Key) -> Bool = { _ in true }) {
    for (manager, isListenedTo) in living(where: isIncluded) where isListenedTo || !onlyListenedTo {
      manager.refreshIfNeeded()
    }
  }

  /// Makes data stale, and loads it again where somebody listens (5.15).
  ///
  /// Calls ``Manager/invalidate()`` of the living managers, and then ``Manager/refreshIfNeeded()`` of those whose
  /// publishers somebody listens to. The others load when they are next asked for.
  ///
  /// A key without a living manager has no data to be invalidated; if it has a cached value, that stays as it is.
  ///
  /// - Parameter isIncluded: Whether the data of a key is stale. Called once for each living manager, while no lock is
  ///   held.
  /// - Complexity: O(*n*) in the number of managers and their subscribers.
  public func invalidate(where isIncluded: (Key) -> Bool = { _ in true }) {
    let living = living(where: isIncluded)
    for (manager, _) in living { manager.invalidate() }
    for (manager, isListenedTo) in living where isListenedTo { manager.refreshIfNeeded() }
  }

  /// Calls ``Manager/logout()`` of every manager that is alive at the call, once each, on the calling thread.
  ///
  /// A manager that is being made at the call is logged out by the thread that makes it, before anybody receives it. So
  /// is one that exists already, and that `make` returns to that thread.
  ///
  /// - Complexity: O(*n*) in the number of managers and their subscribers.
  public func logoutAll() { for manager in managersToLogOut() { manager.logout() } }

  /// The living managers, each of them once, even if `make` has returned it for several keys.
  var managers: [M] { unique(keeper.sweep()).map(\.manager) }

  /// The living managers, to be logged out by the caller; those that are being made will be logged out as well.
  func managersToLogOut() -> [M] { unique(keeper.sweep(logsOut: true)).map(\.manager) }

  /// The living managers of some keys, and whether anybody listens to them.
  private func living(where isIncluded: (Key) -> Bool) -> [(manager: M, isListenedTo: Bool)] {
    unique(keeper.sweep().filter { isIncluded(Self.key($0.member)) }).map { ($1, $0.registry.isListenedTo) }
  }

  private func unique(
    _ living: [(member: FamilyMember, manager: FamilyMembers.Object)]
  ) -> [(member: FamilyMember, manager: M)] {
    var known: Set<ObjectIdentifier> = []
    return living.filter { known.insert(ObjectIdentifier($0.manager)).inserted }.map { ($0, Self.manager($1)) }
  }
}
