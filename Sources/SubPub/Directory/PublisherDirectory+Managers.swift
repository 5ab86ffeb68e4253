extension PublisherDirectory {
  /// Registers a manager's publisher for its type, and the manager for ``logoutAll(resettingOthers:)``.
  ///
  /// A manager that is an object is held weakly, and its publisher goes with it. A manager that is a value is held
  /// until the directory is released, and so is its publisher. Registering a manager again changes nothing: objects are
  /// the same if they are identical, values if they have the same type and publisher.
  ///
  /// - Parameters:
  ///   - manager: The manager.
  ///   - name: Distinguishes publishers with values of the same type.
  /// - Precondition: The type has no other living publisher of that name. One that ``publisher(of:named:)`` has created
  ///   counts, so register before the first use.
  public func register(_ manager: some Manager, named name: String? = nil) {
    let publisher = manager.publisher
    register(publisher, named: name)
    add(ManagerEntry(manager, publisher.registry))
  }

  /// Registers all managers of a family, present and future.
  ///
  /// The directory's subscribers subscribe to the publishers of these managers, which can't be found by their type.
  /// Before the family returns a new manager, the subscribers have subscribed to it; those with immediate delivery are
  /// called on the thread that asks for the manager, and may themselves ask for any key. The family is held weakly.
  /// Registering it again changes nothing.
  ///
  /// - Parameter family: The family.
  /// - Complexity: O(*n* · *s*) in the number of the family's living managers and of the directory's subscribers, and
  ///   O(*s*) for each later manager.
  public func register<Key, M>(_ family: ManagerFamily<Key, M>) {
    add(ManagerEntry(family))
    // Even if it was added before: the thread that has added it may not have reached this point yet.
    family.addObserver(ObjectIdentifier(self)) { [weak self] manager in self?.addMember(manager.publisher) }
  }

  /// Adds a manager or a family, unless it was added before.
  private func add(_ new: ManagerEntry) {
    while true {
      let existing = state.withLock { $0.managers[new.key] }
      // The caller holds the object, so a living object at its address is the same one.
      if let existing, !existing.isGone() { return }
      let isSweepDue = state.withLock { state in
        state.managers.add(new, for: new.key, insteadOf: existing) ? state.managers.isSweepDue : nil
      }
      guard let isSweepDue else { continue }
      return isSweepDue ? sweepManagers(besides: new) : ()
    }
  }

  /// Removes managers whose publishers have ended, and families that are gone.
  ///
  /// Among managers whose publishers are alive, checks only those of the new manager's publisher, which the caller
  /// holds: checking any other manager would hold its publisher briefly, and could keep a successor from taking its
  /// place.
  private func sweepManagers(besides new: ManagerEntry) {
    sweep(\.managers) { entry in
      guard let registry = entry.registry else { return entry.isGone() }
      return registry.isReleased || (registry === new.registry && entry.isGone())
    }
  }
}

/// Everything at once.
extension PublisherDirectory {
  /// Logs out every living manager that was registered before this call, and the managers of registered families.
  ///
  /// Each manager's `logout()` is called once, on the calling thread, while no lock is held: in the order of
  /// registration, and in no particular order within a family. A manager lives at least until its `logout()` has
  /// returned, and so does its publisher, but another publisher of its type may be registered in the meantime.
  ///
  /// - Parameter resettingOthers: Whether publishers without a living manager are reset as well. By default, they stay
  ///   as they are, because nothing says that they depend on a login.
  /// - Complexity: O(*n* log *n*) in the number of managers and publishers.
  public func logoutAll(resettingOthers: Bool = false) {
    let registered = Dictionary(uniqueKeysWithValues: state.withLock { $0.managers.entries })
    // Held, so that no other object has the address of one of them.
    var loggedOut: [ObjectIdentifier: AnyObject] = [:]
    sweep(\.managers) { entry in
      // A family leaves out the managers that are registered themselves, or that another family has as well.
      !logout(entry) { manager in
        let id = ObjectIdentifier(manager)
        return loggedOut.updateValue(manager, forKey: id) != nil
          || registered[.object(id)].map { !$0.isGone() } ?? false
      }
    }
    guard resettingOthers else { return }
    let managed = Set(state.withLock { $0.managers.entries }.flatMap { $0.entry.sources() })
    for (key, publisher) in state.withLock({ $0.publishers.entries }) {
      if case .type = key, !managed.contains(publisher.id), !publisher.registry.isReleased { publisher.reset() }
    }
  }

  /// Finishes every living publisher that was made or registered before this call, and those of registered families.
  ///
  /// Each ends as by ``Publisher/finish()``: what is pending is delivered, and then its subscriptions and sequences end
  /// (3.09). Subscriptions to everything stay, for publishers that are registered later.
  ///
  /// - Complexity: O(*n* log *n*) in the number of publishers, and O(*s*) in that of their subscriptions.
  public func finishAll() { for publisher in sweepPublishers() { publisher.registry.finish() } }

  /// Calls ``Manager/refreshIfNeeded()`` of every living manager, and of those in families that somebody listens to.
  ///
  /// For others in a family, see ``ManagerFamily/refreshAllIfNeeded(onlyListenedTo:where:)``.
  ///
  /// - Complexity: O(*n* log *n*) in the number of managers.
  public func refreshAllIfNeeded() { sweep(\.managers) { !$0.refreshIfNeeded() } }

  /// Waits until every subscription of every publisher has received or skipped everything published so far (3.07).
  ///
  /// See ``StatePublisher/drain()``. Returns early if the task is cancelled.
  public func drain() async { for publisher in sweepPublishers() { await publisher.registry.drain() } }

  /// Waits until the caches of all living managers have done everything that was requested so far.
  ///
  /// Await it before you exit the program. Returns early if the task is cancelled.
  public func waitForCaches() async {
    for (_, manager) in state.withLock({ $0.managers.entries }) { await manager.waitForCache() }
  }

  /// Logs out one manager, and marks its publisher for as long as the manager is held.
  private func logout(_ manager: ManagerEntry, unless isLeftOut: (AnyObject) -> Bool) -> Bool {
    guard let id = manager.registry?.source else { return manager.logout(isLeftOut) }
    state.withLock { $0.logouts.append(id) }
    defer { state.withLock { state in _ = state.logouts.firstIndex(of: id).map { state.logouts.remove(at: $0) } } }
    return manager.logout(isLeftOut)
  }
}

/// A manager in a directory, or a family of managers.
///
/// Its operations are foreign code, and return false if the manager is gone.
final class ManagerEntry: Sendable {
  /// An object is identified by itself, and a value by its type and publisher.
  enum Key: Hashable {
    case object(ObjectIdentifier)
    case value(ObjectIdentifier, PublisherID)
  }

  let key: Key
  /// The registry of the manager's publisher; nil for a family.
  let registry: PublisherRegistry?
  /// Holds the manager briefly, and may be the last to release it.
  let isGone: @Sendable () -> Bool
  /// The publishers of the manager, or of the family's managers.
  let sources: @Sendable () -> [PublisherID]
  /// Logs out the manager, or the managers of the family that aren't left out.
  let logout: @Sendable (_ isLeftOut: (AnyObject) -> Bool) -> Bool
  let refreshIfNeeded: @Sendable () -> Bool
  let waitForCache: @Sendable () async -> Void
  /// Has a family forget a directory that is being released.
  let forget: @Sendable (_ directory: ObjectIdentifier) -> Void

  init(_ manager: some Manager, _ registry: PublisherRegistry) {
    self.registry = registry
    let find: @Sendable () -> (any Manager)?
    // A cast to `AnyObject` alone would put a value into a box that dies immediately. No box is a manager.
    if let object = manager as? any AnyObject & Manager {
      key = .object(ObjectIdentifier(object))
      find = { [weak object] in object }
    } else {
      key = .value(ObjectIdentifier(type(of: manager as Any)), registry.source)
      find = { manager }
    }
    isGone = { find() == nil }
    sources = { [registry.source] }
    logout = { _ in find().map { $0.logout() } != nil }
    refreshIfNeeded = { find().map { $0.refreshIfNeeded() } != nil }
    waitForCache = { await find()?.waitForCache() }
    forget = { _ in }
  }

  init<Key, M>(_ family: ManagerFamily<Key, M>) {
    key = .object(ObjectIdentifier(family))
    registry = nil
    isGone = { [weak family] in family == nil }
    sources = { [weak family] in family?.managers.map(\.publisher.id) ?? [] }
    logout = { [weak family] isLeftOut in
      guard let family else { return false }
      for manager in family.managersToLogOut() where !isLeftOut(manager) { manager.logout() }
      return true
    }
    refreshIfNeeded = { [weak family] in family.map { $0.refreshAllIfNeeded() } != nil }
    waitForCache = { [weak family] in
      // One by one, so that no manager is held while another one's cache is slow.
      for key in family?.keys ?? [] { await family?.existing(key)?.waitForCache() }
    }
    forget = { [weak family] in family?.removeObserver($0) }
  }
}
