import Synchronization

/// One manager for each key, such as the forecast of each city.
///
/// ```swift
/// let forecasts = ManagerFamily(lingering: .seconds(60)) { (city: String) in
///   LoadingManager<String>(label: "forecast of \(city)", staleAfter: .seconds(600)) { "sunny in \(city)" }
/// }
/// let forecast = try await forecasts["Bonn"].value()
/// ```
///
/// A manager is made when its key is first asked for. Everybody who asks for a key receives the same living manager,
/// from however many threads (5.19). No thread waits for another one's `make`: if several ask for a new key at once,
/// each may make a manager. The first one wins, everybody receives it, and the others are released.
///
/// The family keeps a manager while anybody listens to its publisher, and for a time of your choice after the last
/// listener has left and after each request. Otherwise it holds managers weakly. Every open subscription of the
/// publisher is a listener, and so is a publisher that is derived from it, but not a
/// ``PublisherDirectory/subscribeToAll(_:on:buffering:label:)``: it would keep every manager. A manager that listens to its
/// own publisher is kept as long as the family.
///
/// A listener that dies without having been cancelled is noticed when the next state reaches its context, when
/// subscribers are counted, and when the family looks through its managers: whenever somebody asks for all of them, and
/// when their number has doubled.
///
/// You can call every operation from any thread, task, or actor.
public final class ManagerFamily<Key: Hashable & Sendable, M: Manager & AnyObject>: Sendable {
  private let keeper: FamilyKeeper
  private let make: @Sendable (Key) -> M

  /// Creates a family without managers.
  ///
  /// - Parameters:
  ///   - lingering: How long the family keeps a manager after it was last asked for, and after its last listener has
  ///     left. With zero, a manager lives only while somebody holds it or listens; with a hundred years or more, as long
  ///     as the family.
  ///   - clock: Measures `lingering`.
  ///   - make: Makes the manager of a key, on the thread that asks for it, while no lock is held. May ask for other
  ///     keys, and may run several times for one key.
  /// - Precondition: `lingering` isn't negative. `make` doesn't ask for its own key again and again, neither directly
  ///   nor through the `make` of another family. Neither `==` nor the hash function of a key asks the family.
  public init(
    lingering: Duration = .zero, clock: any Clock<Duration> = ContinuousClock(),
    make: @escaping @Sendable (Key) -> M
  ) {
    keeper = FamilyKeeper(lingering: lingering, clock: clock)
    self.make = make
  }

  deinit { keeper.end() }

  /// The manager of a key: the living one, or a new one.
  ///
  /// It lives while anybody holds it or listens to its publisher, and at least for the family's lingering time after
  /// this request. Never waits for another thread.
  ///
  /// - Parameter key: The key.
  /// - Complexity: O(1) on average, beyond `make`.
  public subscript(key: Key) -> M {
    let hash = key.hashValue
    // The manager that this call has made, and the number of logouts that needn't reach it any more.
    var made: (manager: M, logouts: Int)?
    // The number of the last logout that was made up for.
    var madeUp = 0
    var deadline = keeper.deadline
    while true {
      let bucket = bucket(hash)
      let (member, living) = find(key, in: bucket)
      if let member, let living {
        keeper.keep(member, living, until: deadline)
        return introduce(member, living)
      }
      guard let (manager, logouts) = made else {
        guard let (depth, logouts) = keeper.members.withLock({ $0.beginMaking(hash, seeing: bucket) }) else { continue }
        if depth > 50 { stopForEndlessMaking(key) }
        made = (make(key), logouts)
        keeper.members.withLock { $0.endMaking(hash) }
        deadline = keeper.deadline
        continue
      }
      let new = FamilyMember(manager, KeyBox(key), hash, manager.publisher.registry)
      new.logout = madeUp
      switch keeper.members.withLock({ $0.install(new, seeing: bucket, insteadOf: member, logouts: logouts) }) {
      case .installed(let isSweepDue):
        if let member { keeper.unwatch([member]) }
        keeper.watch(new)
        keeper.keep(new, manager, until: deadline)
        if isSweepDue { _ = keeper.sweep() }
        return introduce(new, manager)
      case .outdated: break
      case .logoutDue(let number):
        if !wasReached(by: number, manager) { manager.logout() }
        (made, madeUp) = ((manager, number), number)
      }
    }
  }

  /// Returns the living manager of a key, without making one.
  ///
  /// This doesn't count as a request: the manager doesn't live any longer because of it.
  ///
  /// - Parameter key: The key.
  /// - Returns: The manager; nil if none is alive.
  public func existing(_ key: Key) -> M? {
    let (member, manager) = find(key, in: bucket(key.hashValue))
    guard let member, let manager else { return nil }
    return introduce(member, manager)
  }

  /// The keys of the living managers, in no particular order.
  ///
  /// - Complexity: O(*n*) in the number of managers and their subscribers.
  public var keys: [Key] { keeper.sweep().map { Self.key($0.member) } }

  /// Calls ``Manager/refreshIfNeeded()`` of every living manager.
  ///
  /// - Complexity: O(*n*) in the number of managers and their subscribers.
  public func refreshAllIfNeeded() { for manager in managers { manager.refreshIfNeeded() } }

  /// Calls ``Manager/logout()`` of every manager that is alive at the call, once each, on the calling thread.
  ///
  /// A manager that is being made at the call is logged out by the thread that makes it, before anybody receives it. So
  /// is one that exists already, and that `make` returns to that thread.
  ///
  /// - Complexity: O(*n*) in the number of managers and their subscribers.
  public func logoutAll() { for manager in managersToLogOut() { manager.logout() } }

  /// The living managers, each of them once, even if `make` has returned it for several keys.
  var managers: [M] { Self.unique(keeper.sweep()) }

  /// The living managers, to be logged out by the caller; those that are being made will be logged out as well.
  func managersToLogOut() -> [M] { Self.unique(keeper.sweep(logsOut: true)) }
}

/// Finding and making managers.
extension ManagerFamily {
  private final class KeyBox: Sendable {
    let key: Key
    init(_ key: Key) { self.key = key }
  }

  private static func key(_ member: FamilyMember) -> Key {
    // Only this family makes members for itself.
    unsafe unsafeDowncast(member.key, to: KeyBox.self).key
  }

  private static func manager(_ object: FamilyMembers.Object) -> M {
    // Every manager comes from `make`.
    unsafe unsafeDowncast(object, to: M.self)
  }

  private static func unique(_ living: [(member: FamilyMember, manager: FamilyMembers.Object)]) -> [M] {
    var known: Set<ObjectIdentifier> = []
    return living.map { Self.manager($0.manager) }.filter { known.insert(ObjectIdentifier($0)).inserted }
  }

  private func bucket(_ hash: Int) -> [FamilyMember] { keeper.members.withLock { $0.buckets[hash] ?? [] } }

  /// The member with a key, and its manager if it lives; compares keys, so no lock is held.
  private func find(_ key: Key, in bucket: [FamilyMember]) -> (FamilyMember?, FamilyMembers.Object?) {
    let found = bucket.first { Self.key($0) == key }
    return (found, found?.manager)
  }

  /// Whether a manager was logged out as that of another key.
  private func wasReached(by logout: Int, _ manager: M) -> Bool {
    let living = keeper.sweep()
    return keeper.members.withLock { _ in living.contains { $0.manager === manager && $0.member.logout >= logout } }
  }

  private func stopForEndlessMaking(_ key: Key) -> Never {
    stopForMisuse(
      """
      make(\(key)) asks for its own manager, itself or through another family, again and again: make it without. The \
      family is a \(Self.self)
      """)
  }
}

/// Observers, which know every manager before anybody else receives it.
extension ManagerFamily {
  /// Calls a closure with every living manager, and with every later one before anybody receives it.
  ///
  /// A manager may be passed several times, by several threads at once; each call has to return only when the observer
  /// knows the manager.
  func addObserver(_ id: ObjectIdentifier, _ observer: @escaping @Sendable (M) -> Void) {
    keeper.members.withLock { $0.observers[id] = { observer(Self.manager($0)) } }
    for manager in managers { observer(manager) }
  }

  package var observerCount: Int { keeper.members.withLock { $0.observers.count } }

  func removeObserver(_ id: ObjectIdentifier) { keeper.members.withLock { $0.observers.removeValue(forKey: id) } }

  /// Returns a manager once all observers know it.
  ///
  /// A manager can be found before the thread that has made it has introduced it. Whoever finds it then introduces it as
  /// well, rather than wait: observers can be told several times, and know the manager when any of these calls returns.
  /// That holds inside an observer's call, too, so observers can ask for the manager that they are told about.
  private func introduce(_ member: FamilyMember, _ object: FamilyMembers.Object) -> M {
    let manager = Self.manager(object)
    guard !member.isIntroduced.load(ordering: .acquiring) else { return manager }
    for observer in keeper.members.withLock({ Array($0.observers.values) }) { observer(object) }
    member.isIntroduced.store(true, ordering: .releasing)
    return manager
  }
}

extension ManagerFamily: CustomStringConvertible {
  /// The types and the number of living managers, for logs.
  public var description: String { "ManagerFamily<\(Key.self), \(M.self)>(managers: \(keeper.sweep().count))" }
}
