/// One manager for each key, such as the forecast of each city.
///
/// ```swift
/// let forecasts = ManagerFamily(lingering: .seconds(60)) { (city: String) in
///   LoadingManager<String>(label: "forecast of \(city)", staleAfter: .seconds(600)) { "sunny in \(city)" }
/// }
/// let forecast = try await forecasts["Bonn"].value()
/// ```
///
/// A manager is made when its key is first asked for. A key has at most one living manager, however many threads ask
/// for it (5.19). The family holds its managers weakly, except for a time of your choice after each request.
///
/// You can call every operation from any thread, task, or actor.
public final class ManagerFamily<Key: Hashable & Sendable, M: Manager & AnyObject>: Sendable {
  private let members = Locked(FamilyMembers())
  private let make: @Sendable (Key) -> M
  private let lingering: Duration
  /// The time since the family was created, and a pause, both on the clock.
  ///
  /// Foreign code.
  private let elapsed: @Sendable () -> Duration
  private let sleep: @Sendable (Duration) async throws -> Void

  /// Creates a family without managers.
  ///
  /// - Parameters:
  ///   - lingering: How long the family keeps a manager after it was last asked for. With zero, a manager lives only
  ///     while somebody else holds it; with a hundred years or more, as long as the family.
  ///   - clock: Measures `lingering`.
  ///   - make: Makes the manager of a key, on the thread that asks for it, while no lock is held. Other threads that
  ///     ask for the same key wait until it returns.
  /// - Precondition: `lingering` isn't negative. `make` doesn't ask for its own key, neither directly nor through the
  ///   `make` of another family, and doesn't wait for a thread that may ask for it.
  public init(
    lingering: Duration = .zero, clock: any Clock<Duration> = ContinuousClock(),
    make: @escaping @Sendable (Key) -> M
  ) {
    guard lingering >= .zero else {
      stopForMisuse("lingering is \(lingering), but nothing is kept for less than no time: give zero or more")
    }
    self.lingering = lingering
    self.make = make
    elapsed = clock.stopwatch()
    sleep = { try await clock.sleep(for: $0) }
  }

  deinit { members.withLock { $0.stopKeeping() }.timer?.cancel() }

  /// The manager of a key: the living one, or a new one.
  ///
  /// It lives while anybody holds it, and at least for the family's lingering time after this request. Blocks while
  /// another thread makes it.
  ///
  /// - Parameter key: The key.
  /// - Complexity: O(1) on average, beyond `make`.
  public subscript(key: Key) -> M {
    let (deadline, hash) = (deadline, key.hashValue)
    while true {
      let search = search(key, hash, until: deadline)
      switch search {
      case .found(let manager, let startsTimer):
        if startsTimer { startTimer() }
        return Self.manager(manager)
      case .inProgress(let call, let made):
        if call.wait() { continue }
        // The observers of two managers, on two threads, ask for the other one.
        if let made { return Self.manager(made) }
        stopForMisuse(
          "make(\(key)) asks for its own manager, itself or through another family, and would wait forever: make it without"
        )
      case .claimed(let entry): return finish(make(key), entry, until: self.deadline)
      case .candidates, .outdated: continue
      }
    }
  }

  /// Finds or claims a key, which is compared with others outside the lock.
  private func search(_ key: Key, _ hash: Int, until deadline: Duration?) -> FamilyMembers.Search {
    let search = members.withLock { $0.search(hash) { KeyBox(key) } }
    guard case .candidates(let bucket, let only) = search else { return search }
    guard let entry = find(key, in: bucket) else {
      let box = KeyBox(key)
      return members.withLock { $0.add(box, hash, to: bucket) }
    }
    if deadline == nil, let only { return .found(only, startsTimer: false) }
    return members.withLock { $0.find(entry, until: deadline) }
  }

  private func find(_ key: Key, in bucket: FamilyMembers.Bucket) -> FamilyMembers.Entry? {
    Self.key(bucket.first.key) == key ? bucket.first : bucket.others.first { Self.key($0.key) == key }
  }

  /// A key in a bucket.
  private final class KeyBox: Sendable {
    let key: Key
    init(_ key: Key) { self.key = key }
  }

  private static func key(_ box: FamilyMembers.Object) -> Key {
    // Only this family puts boxes into its buckets.
    unsafe unsafeDowncast(box, to: KeyBox.self).key
  }

  private static func manager(_ object: FamilyMembers.Object) -> M {
    // Every manager comes from `make`.
    unsafe unsafeDowncast(object, to: M.self)
  }

  /// Returns the living manager of a key, without making one.
  ///
  /// This doesn't count as a request: the manager doesn't live any longer because of it.
  ///
  /// - Parameter key: The key.
  /// - Returns: The manager; nil if none is alive.
  public func existing(_ key: Key) -> M? {
    let hash = key.hashValue
    guard let (bucket, only) = members.withLock({ $0.candidates(of: hash) }), let entry = find(key, in: bucket) else {
      return nil
    }
    return (only ?? members.withLock { $0.living(entry) }).map(Self.manager)
  }

  /// The keys of the living managers, in no particular order.
  ///
  /// - Complexity: O(*n*) in the number of managers.
  public var keys: [Key] { living.map(\.key) }

  /// Calls ``Manager/refreshIfNeeded()`` of every living manager.
  ///
  /// - Complexity: O(*n*) in the number of managers.
  public func refreshAllIfNeeded() { for manager in managers { manager.refreshIfNeeded() } }

  /// Calls ``Manager/logout()`` of every manager that is alive at the call, on the calling thread.
  ///
  /// - Complexity: O(*n*) in the number of managers.
  public func logoutAll() { for manager in managers { manager.logout() } }

  /// The living managers, by key; those that are being introduced to directories are among them.
  private var living: [(key: Key, manager: M)] {
    members.withLock { $0.sweep() }.living.map { (Self.key($0.key), Self.manager($0.manager)) }
  }

  /// The living managers, each of them once, even if `make` has returned it for several keys.
  var managers: [M] {
    var known: Set<ObjectIdentifier> = []
    return living.map(\.manager).filter { known.insert(ObjectIdentifier($0)).inserted }
  }

  /// Calls a closure with every living manager, and with every later one before anybody else receives it.
  ///
  /// It is called for the last time when it returns false. A manager may be passed twice.
  func observe(_ observer: @escaping @Sendable (M) -> Bool) {
    let number = members.withLock { $0.addObserver { observer(Self.manager($0)) } }
    for manager in managers {
      guard observer(manager) else {
        members.withLock { $0.removeObserver(number) }
        return
      }
    }
  }
}

extension ManagerFamily {
  /// The deadline of a manager that is requested now; nil if managers don't linger.
  private var deadline: Duration? {
    if lingering == .zero { nil } else if lingering >= .unlimited { .unlimited } else { elapsed() + lingering }
  }

  /// Introduces a new manager to all observers, and then makes it available to other threads.
  private func finish(_ manager: M, _ entry: FamilyMembers.Entry, until deadline: Duration?) -> M {
    while true {
      let step = members.withLock { $0.finish(manager, entry, until: deadline) }
      switch step {
      case .introduce(let number, let observer):
        if !observer(manager) { members.withLock { $0.removeObserver(number) } }
      case .finished(let call, let startsTimer, _):
        call?.end()
        if startsTimer { startTimer() }
        return manager
      }
    }
  }

  /// Releases managers whenever their time is over, until none lingers.
  private func startTimer() {
    let timer = Task.detached { [members, elapsed, sleep] in
      do {
        while true {
          let now = elapsed()
          // The evicted managers are released here, and then their keys.
          let next = members.withLock { $0.evict(at: now) }.next
          members.withLock { $0.sweepAfterEviction() }
          guard let next else { return }
          try await sleep(next)
        }
      } catch {
        // Without the clock, nothing would ever be released.
        if !Task.isCancelled { members.withLock { $0.stopKeeping() } }
      }
    }
    members.withLock { $0.timer = timer }
  }
}

extension ManagerFamily: CustomStringConvertible {
  /// The types and the number of living managers, for logs.
  public var description: String { "ManagerFamily<\(Key.self), \(M.self)>(managers: \(living.count))" }
}
