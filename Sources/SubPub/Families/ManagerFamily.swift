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
/// listener has left and after each request. Otherwise it holds managers weakly, and a manager that nobody holds is
/// released at once, which cancels its load; its key stays until the family looks through its managers. Every open
/// subscription of the publisher is a listener, and so is a publisher that is derived from it, but not a
/// ``PublisherDirectory/subscribeToAll(_:on:buffering:label:)``: it would keep every manager. A manager that listens to
/// its own publisher is kept as long as the family.
///
/// A listener that dies without having been cancelled is noticed when the next state reaches its context, when
/// subscribers are counted, and when the family looks through its managers: whenever somebody asks for all of them, and
/// when their number has doubled.
///
/// You can call every operation from any thread, task, or actor.
public final class ManagerFamily<Key: Hashable & Sendable, M: Manager & AnyObject>: Sendable {
  let keeper: FamilyKeeper
  private let make: @Sendable (Key) -> M
  /// The permits for loads that call their loaders at the same time; nil for no limit.
  private let permits: Permits?

  /// Creates a family without managers.
  ///
  /// - Parameters:
  ///   - lingering: How long the family keeps a manager after it was last asked for, and after its last listener has
  ///     left. With zero, a manager lives only while somebody holds it or listens; with a hundred years or more, as
  ///     long as the family.
  ///   - mostLingering: How many managers may linger; nil for no limit. If more do, the family lets go of those that
  ///     were asked for, or listened to, longest ago (5.28). For keys that come from a server's clients. Nothing
  ///     lingers if `lingering` is zero.
  ///   - clock: Measures `lingering`.
  ///   - maxConcurrentLoads: How many loads of all its managers may call their loaders at the same time; nil for no
  ///     limit. The others are `loading` and wait in the order in which they were asked for. It applies to the
  ///     ``LoadingManager`` or ``PagedManager`` that `make` returns, unless that belongs to another family, and not to
  ///     managers that `make` puts into a manager of your own; a loader that is called before `make` returns needs
  ///     none. A permit is for one attempt, whose `timeout` begins with it: a load that reads its cache, or waits to
  ///     try again, takes none, and then comes last. A load that is cancelled, superseded, or out of time loses its
  ///     permit at once, even if its loader ignores that. A loader that awaits a load of the same family takes a second
  ///     permit, so that all may wait forever if there are too few.
  ///   - make: Makes the manager of a key, on the thread that asks for it, while no lock is held. May ask for other
  ///     keys, and may run several times for one key.
  /// - Precondition: `lingering` and `mostLingering` aren't negative, and `maxConcurrentLoads` is at least 1. `make`
  ///   doesn't ask for its own key again and again, neither directly nor through the `make` of another family; keys
  ///   with the same hash value count as one. Neither `==` nor the hash function of a key asks the family.
  public init(
    lingering: Duration = .zero, mostLingering: Int? = nil, clock: any Clock<Duration> = ContinuousClock(),
    maxConcurrentLoads: Int? = nil, make: @escaping @Sendable (Key) -> M
  ) {
    if let maxConcurrentLoads, maxConcurrentLoads < 1 {
      stopForMisuse(
        "maxConcurrentLoads is \(maxConcurrentLoads), so nothing would ever load: give 1 or more, or nil for no limit")
    }
    keeper = FamilyKeeper(lingering: lingering, mostLingering: mostLingering, clock: clock)
    self.make = make
    permits = maxConcurrentLoads.map(Permits.init)
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
    let deadline = keeper.deadline
    while true {
      let (bucket, begun) = keeper.withMembers { $0.beginRequest(hash) }
      let (member, living) = find(key, in: bucket)
      if let member, let living { return request(member, living, until: deadline) }
      if let making = begun ?? keeper.withMembers({ $0.beginMaking(hash, seeing: bucket?.newest) }) {
        if making.depth > 50 { stopForEndlessMaking(key) }
        let manager = make(key)
        (manager as? any LimitedManager)?.join(permits)
        return add(manager, key, hash, insteadOf: member, in: bucket, logouts: making.logouts)
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
}

extension ManagerFamily {
  /// Stops keeping a key's lingering manager, before its time is up (5.28).
  ///
  /// Whoever holds the manager keeps it, and asking for its key returns the same one for as long as it lives. A manager
  /// that somebody listens to isn't lingering: it goes on, and lingers when the last listener has left.
  ///
  /// - Parameter key: The key.
  /// - Returns: Whether a manager of this key was lingering.
  /// - Complexity: O(1) on average.
  @discardableResult
  public func remove(_ key: Key) -> Bool {
    let (member, manager) = find(key, in: bucket(key.hashValue))
    // Not to be the last to hold it while it is let go.
    _ = consume manager
    return member.map(keeper.letGo) ?? false
  }
}

/// Finding and making managers.
extension ManagerFamily {
  private final class KeyBox: Sendable {
    let key: Key
    init(_ key: Key) { self.key = key }
  }

  /// Adds a manager that was made, unless another thread was first; returns the one that everybody receives.
  ///
  /// `logouts` is how many logouts there had been before `make` began, which needn't reach the manager.
  private func add(
    _ manager: M, _ key: Key, _ hash: Int, insteadOf dead: FamilyMember?, in bucket: FamilyBucket?, logouts: Int
  ) -> M {
    let deadline = keeper.deadline
    var (bucket, dead, logouts, isMaking) = (bucket, dead, logouts, true)
    // The last logout that was made up for here.
    var madeUp = 0
    while true {
      let new = FamilyMember(manager, KeyBox(key), hash, manager.publisher.registry)
      new.logout = madeUp
      let installation = keeper.withMembers { members in
        if isMaking { members.endMaking(hash) }
        return members.install(new, seeing: bucket?.newest, insteadOf: dead, logouts: logouts)
      }
      isMaking = false
      switch installation {
      case .installed(let isSweepDue):
        if let dead { keeper.unwatch([dead]) }
        keeper.watch(new)
        if isSweepDue { _ = keeper.sweep() }
        return request(new, manager, until: deadline)
      case .outdated:
        bucket = self.bucket(hash)
        let (member, living) = find(key, in: bucket)
        if let member, let living { return request(member, living, until: deadline) }
        dead = member
      case .logoutDue(let number):
        if !wasReached(by: number, manager) { manager.logout() }
        (logouts, madeUp) = (number, number)
      }
    }
  }

  private func request(_ member: FamilyMember, _ living: FamilyMembers.Object, until deadline: Duration?) -> M {
    keeper.keep(member, living, until: deadline)
    return introduce(member, living)
  }

  static func key(_ member: FamilyMember) -> Key {
    // Only this family makes members for itself.
    unsafe unsafeDowncast(member.key, to: KeyBox.self).key
  }

  static func manager(_ object: FamilyMembers.Object) -> M {
    // Every manager comes from `make`.
    unsafe unsafeDowncast(object, to: M.self)
  }

  private func bucket(_ hash: Int) -> FamilyBucket? { keeper.withMembers { $0.buckets[hash] } }

  /// The member with a key, and its manager if it lives; compares keys, so no lock is held.
  private func find(_ key: Key, in bucket: FamilyBucket?) -> (FamilyMember?, FamilyMembers.Object?) {
    let found = bucket?.first { Self.key($0) == key }
    return (found, found?.manager)
  }

  /// Whether a manager was logged out as that of another key.
  private func wasReached(by logout: Int, _ manager: M) -> Bool {
    let living = keeper.sweep()
    return keeper.withMembers { _ in living.contains { $0.manager === manager && $0.member.logout >= logout } }
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
    keeper.withMembers { $0.observers.updateValue({ observer(Self.manager($0)) }, forKey: id) }
    for manager in managers { observer(manager) }
  }

  package var observerCount: Int { keeper.withMembers { $0.observers.count } }

  func removeObserver(_ id: ObjectIdentifier) { keeper.withMembers { $0.observers.removeValue(forKey: id) } }

  /// Returns a manager once all observers know it.
  ///
  /// A manager can be found before the thread that has made it has introduced it. Whoever finds it then introduces it
  /// as well, rather than wait: observers can be told several times, and know the manager when any of these calls
  /// returns. That holds inside an observer's call, too, so observers can ask for the manager that they are told about.
  private func introduce(_ member: FamilyMember, _ object: FamilyMembers.Object) -> M {
    let manager = Self.manager(object)
    guard !member.isIntroduced.load(ordering: .acquiring) else { return manager }
    for observer in keeper.withMembers({ Array($0.observers.values) }) { observer(object) }
    member.isIntroduced.store(true, ordering: .releasing)
    return manager
  }
}

extension ManagerFamily: CustomStringConvertible {
  /// The types and the number of living managers, for logs.
  public var description: String { "ManagerFamily<\(Key.self), \(M.self)>(managers: \(keeper.sweep().count))" }
}
