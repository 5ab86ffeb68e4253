/// The managers of a family.
///
/// Decides only, and neither hashes nor compares keys, because that is foreign code: keys are in buckets by their hash
/// values, and whoever looks for one compares it with the bucket's keys outside the lock. Whatever has to be released
/// is returned, and released after the unlock.
///
/// Keys and managers are stored without their types, because generic code would be several times slower.
struct FamilyMembers {
  typealias Object = any AnyObject & Sendable
  typealias Observer = @Sendable (Object) -> Bool

  /// A key in its box, and the place of its member.
  struct Entry: Sendable {
    let key: Object
    let slot: Int
  }

  /// The keys with one hash value, of which there is mostly one.
  struct Bucket: Sendable {
    var first: Entry
    var others: [Entry] = []

    var last: Entry { others.last ?? first }
    var all: [Entry] { [first] + others }
  }

  private final class Member {
    let key: Object
    weak var manager: Object?
    var creation: Creation?
    /// The manager, while it lingers, and its neighbors in the order of their last requests.
    var kept: Object?
    var deadline = Duration.zero
    var previous: Int?
    var next: Int?

    init(_ key: Object) { self.key = key }
  }

  /// The call that makes a manager.
  private struct Creation {
    let thread = ThreadToken.current
    /// What other threads wait for; nil while none does.
    var call: ManagerCreation?
    /// The manager, once it is made and until all observers know it.
    var manager: Object?
    /// The number of the last observer that knows it.
    var introduced: UInt64 = 0
  }

  private var buckets: [Int: Bucket] = [:]
  private var members: [Member?] = []
  private var freeSlots: [Int] = []
  private var observers: [UInt64: Observer] = [:]
  private var lastObserver: UInt64 = 0
  /// The ends of the list of lingering managers: the ones that were requested first and last.
  private var oldest: Int?
  private var newest: Int?
  private var isTimerRunning = false
  var timer: Task<Void, Never>?
  /// The number of members above which it is worth looking for dead ones.
  private var sweepAt = 32
  /// The number of managers that were evicted since the last sweep, most of which are dead now.
  private var evictedCount = 0
}

/// Finding and making managers.
extension FamilyMembers {
  enum Search {
    /// The keys to compare with, and the manager if there is only one key.
    case candidates(Bucket, only: Object?)
    case found(Object, startsTimer: Bool)
    /// Another call makes it, or has made it and is introducing it.
    case inProgress(ManagerCreation, made: Object?)
    /// This call has to make it.
    case claimed(Entry)
    /// The bucket has changed.
    case outdated
  }

  func candidates(of hash: Int) -> (bucket: Bucket, only: Object?)? {
    guard let bucket = buckets[hash] else { return nil }
    return (bucket, bucket.others.isEmpty ? living(bucket.first) : nil)
  }

  /// Finds the keys with a hash value, or adds a member if there are none.
  mutating func search(_ hash: Int, adding key: () -> Object) -> Search {
    if let (bucket, only) = candidates(of: hash) { return .candidates(bucket, only: only) }
    let entry = add(key())
    buckets[hash] = Bucket(first: entry)
    return .claimed(entry)
  }

  /// Adds a member for a key that isn't in the bucket.
  mutating func add(_ key: Object, _ hash: Int, to bucket: Bucket) -> Search {
    guard buckets[hash]?.last.key === bucket.last.key else { return .outdated }
    let entry = add(key)
    buckets[hash]?.others.append(entry)
    return .claimed(entry)
  }

  private mutating func add(_ key: Object) -> Entry {
    let member = Member(key)
    member.creation = Creation()
    if let slot = freeSlots.popLast() {
      members[slot] = member
      return Entry(key: key, slot: slot)
    }
    members.append(member)
    return Entry(key: key, slot: members.count - 1)
  }

  /// Finds the manager of a key that is in its bucket.
  mutating func find(_ entry: Entry, until deadline: Duration?) -> Search {
    guard let member = member(entry) else { return .outdated }
    if let creation = member.creation {
      guard let manager = creation.manager, creation.thread == .current else {
        let call = creation.call ?? ManagerCreation(on: creation.thread)
        member.creation?.call = call
        return .inProgress(call, made: creation.manager)
      }
      // An observer asks for the manager that it is introduced to.
      return .found(manager, startsTimer: false)
    }
    if let manager = member.manager {
      return .found(manager, startsTimer: keep(manager, member, entry.slot, until: deadline))
    }
    member.creation = Creation()
    return .claimed(entry)
  }

  private func member(_ entry: Entry) -> Member? {
    // Another key may have taken the slot.
    members[entry.slot].flatMap { $0.key === entry.key ? $0 : nil }
  }

  func living(_ entry: Entry) -> Object? { member(entry)?.manager }

  enum Step {
    /// An observer that doesn't know the new manager yet.
    case introduce(UInt64, Observer)
    /// Everybody may have it, and whoever waits for it is to be resumed. What a sweep has found is to be released.
    case finished(ManagerCreation?, startsTimer: Bool, swept: Sweep)
  }

  /// Adds a new manager once all observers know it.
  mutating func finish(_ manager: Object, _ entry: Entry, until deadline: Duration?) -> Step {
    // A member stays as long as its manager is being made.
    guard let member = member(entry), var creation = member.creation else {
      return .finished(nil, startsTimer: false, swept: Sweep())
    }
    creation.manager = manager
    while creation.introduced < lastObserver {
      creation.introduced += 1
      guard let observer = observers[creation.introduced] else { continue }
      member.creation = creation
      return .introduce(creation.introduced, observer)
    }
    member.creation = nil
    member.manager = manager
    let startsTimer = keep(manager, member, entry.slot, until: deadline)
    let isSweepDue = members.count - freeSlots.count > sweepAt
    return .finished(creation.call, startsTimer: startsTimer, swept: isSweepDue ? sweep() : Sweep())
  }

  mutating func addObserver(_ observer: @escaping Observer) -> UInt64 {
    lastObserver += 1
    observers[lastObserver] = observer
    return lastObserver
  }

  mutating func removeObserver(_ number: UInt64) -> Observer? { observers.removeValue(forKey: number) }

  struct Sweep {
    var living: [(key: Object, manager: Object)] = []
    fileprivate var removed: [Object] = []
  }

  /// Returns the living managers, and removes the others.
  mutating func sweep() -> Sweep {
    var swept = Sweep()
    for (hash, bucket) in buckets {
      var left: [Entry] = []
      for entry in bucket.all {
        guard let member = member(entry) else { continue }
        if let manager = member.manager ?? member.creation?.manager {
          swept.living.append((entry.key, manager))
        } else if member.creation == nil {
          swept.removed.append(entry.key)
          members[entry.slot] = nil
          freeSlots.append(entry.slot)
          continue
        }
        left.append(entry)
      }
      guard left.count <= bucket.others.count else { continue }
      buckets[hash] = left.first.map { Bucket(first: $0, others: Array(left.dropFirst())) }
    }
    sweepAt = 2 * (members.count - freeSlots.count) + 32
    evictedCount = 0
    return swept
  }
}

/// Lingering.
extension FamilyMembers {
  /// Keeps a manager at least until a deadline; returns whether the caller has to start the timer.
  private mutating func keep(_ manager: Object, _ member: Member, _ slot: Int, until deadline: Duration?) -> Bool {
    guard let deadline else { return false }
    unlink(member)
    member.kept = manager
    // A thread that has waited for another one's `make` may have asked earlier.
    member.deadline = max(member.deadline, deadline)
    (member.previous, member.next) = (newest, nil)
    if let newest { members[newest]?.next = slot } else { oldest = slot }
    newest = slot
    if isTimerRunning || deadline == .unlimited { return false }
    isTimerRunning = true
    return true
  }

  /// Removes a member from the list of lingering ones, if it is there.
  private mutating func unlink(_ member: Member) {
    guard member.kept != nil else { return }
    if let previous = member.previous { members[previous]?.next = member.next } else { oldest = member.next }
    if let next = member.next { members[next]?.previous = member.previous } else { newest = member.previous }
  }

  /// Stops keeping managers whose time is over; returns them, and how long the next one lingers.
  mutating func evict(at now: Duration) -> (evicted: [Object], next: Duration?) {
    var evicted: [Object] = []
    while let slot = oldest, let member = members[slot] {
      if member.deadline > now { return (evicted, member.deadline - now) }
      unlink(member)
      if let manager = member.kept.take() { evicted.append(manager) }
      evictedCount += 1
    }
    isTimerRunning = false
    return (evicted, nil)
  }

  /// Removes dead members if half of all may be dead, once the evicted managers were released.
  mutating func sweepAfterEviction() -> Sweep { 2 * evictedCount > members.count - freeSlots.count ? sweep() : Sweep() }

  /// Stops keeping all managers; returns them, and the timer.
  mutating func stopKeeping() -> (kept: [Object], timer: Task<Void, Never>?) {
    var kept: [Object] = []
    while let slot = oldest, let member = members[slot] {
      unlink(member)
      if let manager = member.kept.take() { kept.append(manager) }
    }
    isTimerRunning = false
    return (kept, timer.take())
  }
}
