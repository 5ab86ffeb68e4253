import Synchronization

/// A manager of a family, and what the family knows about it.
///
/// `@unchecked`: the variables are accessed only while the family's lock is held.
class FamilyMember: @unchecked Sendable {
  weak let manager: FamilyMembers.Object?
  let registry: PublisherRegistry
  /// Whether all observers know the manager.
  ///
  /// The release orders everything that they have done before everything that a thread does after finding it true.
  let isIntroduced = Atomic<Bool>(false)
  /// The manager, while it lingers or is listened to.
  var kept: FamilyMembers.Object?
  /// Until when it lingers at least.
  var deadline = Duration.zero
  var isQueued = false
  var isListenedTo = false
  /// The number of the last logout that has reached the manager.
  var logout = 0
  /// The number of the last notice about listeners.
  var notice: UInt64 = 0

  init(_ manager: FamilyMembers.Object, _ registry: PublisherRegistry) {
    (self.manager, self.registry) = (manager, registry)
  }
}

/// The managers of a family, by the hash values of their keys.
///
/// Decides only, under the lock of `FamilyKeeper`. Keys are neither hashed nor compared here, because that is foreign
/// code: whoever looks for one compares it with those of a bucket, outside the lock. What has to be released is
/// returned, and released after the unlock. Nothing is generic, because that would be several times slower.
struct FamilyMembers {
  typealias Object = any AnyObject & Sendable

  /// The members whose keys have one hash value: mostly one, and new ones are added at the end.
  struct Bucket: Sendable {
    fileprivate(set) var first: FamilyMember
    fileprivate(set) var others: [FamilyMember] = []

    var last: FamilyMember { others.last ?? first }
    var all: [FamilyMember] { [first] + others }

    fileprivate func forEach(_ body: (FamilyMember) -> Void) {
      body(first)
      others.forEach(body)
    }
  }

  /// A call of `make`.
  struct Call: Sendable {
    let thread = ThreadToken.current
    /// In a box that no other call has.
    let key: Object
    let hash: Int
    /// How many calls were under way.
    let number: Int
    /// How many logouts there were before it, or were made up for.
    fileprivate(set) var logouts: Int
    /// The number of the last logout that was made up for.
    fileprivate(set) var madeUp = 0
  }

  private(set) var buckets: [Int: Bucket] = [:]
  private(set) var calls: [Call] = []
  var observers: [ObjectIdentifier: @Sendable (Object) -> Void] = [:]
  private var logouts = 0
  private var count = 0
  /// The number of members above which it is worth looking for dead ones.
  private var sweepAt = 32
  /// The number of managers that were evicted since the last sweep, most of which are dead now.
  private var evictedCount = 0
  private var queue = DeadlineQueue()
  private(set) var latestDeadline = Duration.zero
  /// When the timer looks for managers whose time is over; nil without a timer.
  private var wakeTime: Duration?
  private var timer: Task<Void, Never>?
  private var timerCount = 0
}

/// Making and removing managers.
extension FamilyMembers {
  /// Begins to make a manager; returns nil if another thread has added a member since the keys were compared.
  mutating func begin(_ key: Object, _ hash: Int, in bucket: Bucket?) -> Call? {
    guard buckets[hash]?.last === bucket?.last else { return nil }
    let call = Call(key: key, hash: hash, number: calls.count, logouts: logouts)
    calls.append(call)
    return call
  }

  mutating func end(_ call: Call) {
    if let index = calls.lastIndex(where: { $0.key === call.key }) { calls.remove(at: index) }
  }

  enum Installation {
    case installed(isSweepDue: Bool)
    /// Another thread has added a member since the keys were compared.
    case outdated(Bucket?)
    /// Everything was logged out since `make` was called, as the new call says.
    case logoutDue(Call)
  }

  /// Adds a manager whose key isn't in its bucket, or only for a dead member there.
  mutating func install(
    _ new: FamilyMember, _ call: Call, in bucket: Bucket?, insteadOf dead: FamilyMember?
  ) -> Installation {
    let current = buckets[call.hash]
    guard current?.last === bucket?.last else { return .outdated(current) }
    guard call.logouts == logouts else {
      var call = call
      (call.logouts, call.madeUp) = (logouts, logouts)
      return .logoutDue(call)
    }
    end(call)
    // The caller holds it.
    if let dead { remove([dead], from: call.hash) }
    new.logout = call.madeUp
    new.isIntroduced.store(observers.isEmpty, ordering: .relaxed)
    if buckets[call.hash]?.others.append(new) == nil { buckets[call.hash] = Bucket(first: new) }
    count += 1
    guard count > sweepAt else { return .installed(isSweepDue: false) }
    // One sweep is enough, even if others install managers meanwhile.
    sweepAt = 2 * count + 32
    return .installed(isSweepDue: true)
  }

  /// Removes dead members, and returns them and the living managers.
  ///
  /// A logout is for those, and for all that are being made.
  mutating func sweep(logsOut: Bool) -> (living: [(member: FamilyMember, manager: Object)], dead: [FamilyMember]) {
    if logsOut { logouts += 1 }
    var (living, dead): ([(member: FamilyMember, manager: Object)], [FamilyMember]) = ([], [])
    for (hash, bucket) in buckets {
      let before = dead.count
      bucket.forEach { member in
        if logsOut { member.logout = logouts }
        if let manager = member.manager { living.append((member, manager)) } else { dead.append(member) }
      }
      if dead.count > before { remove(Array(dead[before...]), from: hash) }
    }
    (sweepAt, evictedCount) = (2 * count + 32, 0)
    return (living, dead)
  }

  private mutating func remove(_ members: [FamilyMember], from hash: Int) {
    guard let all = buckets[hash]?.all else { return }
    let left = all.filter { member in !members.contains { $0 === member } }
    count -= all.count - left.count
    buckets[hash] = left.first.map { Bucket(first: $0, others: Array(left.dropFirst())) }
  }

  /// Whether half of all managers may be dead, now that the evicted ones were released.
  var isSweepDueAfterEviction: Bool { 2 * evictedCount > count }

  /// Removes everything, because the family is gone.
  mutating func removeAll() -> (members: [FamilyMember], kept: [Object], timer: Task<Void, Never>?) {
    let all = buckets.values.flatMap(\.all)
    // Later notices do nothing.
    for member in all { member.notice = .max }
    let removed = (all, all.compactMap { $0.kept.take() }, timer)
    (self, timerCount) = (FamilyMembers(), timerCount + 1)
    return removed
  }
}

/// Keeping managers that linger or are listened to.
extension FamilyMembers {
  /// Keeps a manager at least until a deadline; returns the number of a timer that the caller has to start.
  mutating func keep(_ member: FamilyMember, _ manager: Object, until deadline: Duration?) -> Int? {
    guard let deadline else { return nil }
    member.kept = manager
    guard deadline < .unlimited else { return nil }
    // A thread that was slow to get here may have asked earlier.
    member.deadline = max(member.deadline, deadline)
    latestDeadline = max(latestDeadline, deadline)
    if !member.isQueued, !member.isListenedTo {
      member.isQueued = true
      queue.insert(member)
    }
    // A timer that will look later than this was started before the clock was set back.
    if let wakeTime, wakeTime <= deadline { return nil }
    wakeTime = deadline
    timerCount += 1
    return timerCount
  }

  /// Records whether anybody listens; returns a manager that isn't kept any more, and the number of a timer to start.
  ///
  /// Does nothing if a notice with a higher number has come first.
  mutating func note(
    isListenedTo: Bool, _ notice: UInt64, _ member: FamilyMember, _ manager: Object, until deadline: Duration?
  ) -> (released: Object?, timer: Int?) {
    guard notice >= member.notice else { return (nil, nil) }
    (member.notice, member.isListenedTo) = (notice, isListenedTo)
    if isListenedTo {
      member.kept = manager
      return (nil, nil)
    }
    return deadline == nil ? (member.kept.take(), nil) : (nil, keep(member, manager, until: deadline))
  }

  /// The publishers that are listened to, perhaps only by dead subscribers.
  var heard: [PublisherRegistry] {
    var heard: [PublisherRegistry] = []
    for bucket in buckets.values { bucket.forEach { if $0.isListenedTo { heard.append($0.registry) } } }
    return heard
  }

  /// Stops keeping managers whose time is over; returns them, and how long the next one lingers.
  ///
  /// `latest` was the latest deadline when the clock was read. If it is further away than managers linger, the clock
  /// was set back.
  mutating func evict(at now: Duration, lingering: Duration, latest: Duration) -> (evicted: [Object], next: Duration?) {
    let limit = now + lingering
    if latest > limit {
      for member in buckets.values.flatMap(\.all) where member.deadline <= latest {
        member.deadline = min(member.deadline, limit)
      }
      queue.limit { $0 <= latest ? min($0, limit) : $0 }
      if latestDeadline == latest { latestDeadline = limit }
    }
    var evicted: [Object] = []
    while let (deadline, member) = queue.first {
      guard deadline <= now else {
        wakeTime = deadline
        evictedCount += evicted.count
        return (evicted, deadline - now)
      }
      queue.removeFirst()
      member.isQueued = false
      if member.isListenedTo { continue }
      if member.deadline > now {
        member.isQueued = true
        queue.insert(member)
      } else if let manager = member.kept.take() {
        evicted.append(manager)
      }
    }
    wakeTime = nil
    evictedCount += evicted.count
    return (evicted, nil)
  }

  /// Stops keeping all managers that nobody listens to, because the clock has failed.
  mutating func stopKeeping() -> [Object] {
    (queue, wakeTime) = (DeadlineQueue(), nil)
    return buckets.values.flatMap(\.all).filter { !$0.isListenedTo }.compactMap { member in
      member.isQueued = false
      return member.kept.take()
    }
  }

  /// Replaces the timer, unless it has a successor already; returns the one to be cancelled.
  mutating func setTimer(_ new: Task<Void, Never>, number: Int) -> Task<Void, Never>? {
    guard number == timerCount else { return new }
    defer { timer = new }
    return timer
  }
}
