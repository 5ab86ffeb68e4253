import Synchronization

/// The managers of a family, by the hash values of their keys.
///
/// Decides only, under the lock of `FamilyKeeper`, in which a turn of a publisher may be taken, and never the other way
/// round. Keys are neither hashed nor compared here, because that is foreign code: whoever looks for one compares it
/// with those of a bucket, outside the lock. What has to be released is returned, or is in `dropped`, and is released
/// after the unlock. Nothing is generic, because that would be several times slower.
struct FamilyMembers {
  typealias Object = any AnyObject & Sendable

  /// A thread that is making the manager of a key.
  private struct Maker: Equatable {
    let thread = ThreadToken.current
    let hash: Int
  }

  private(set) var buckets: [Int: FamilyBucket] = [:]
  var observers: [ObjectIdentifier: @Sendable (Object) -> Void] = [:]
  private var makers: [Maker] = []
  private var logouts = 0
  private var count = 0
  var listenedToCount = 0
  /// The number of members above which it is worth looking for dead ones.
  private var sweepAt = 32
  /// How many may linger; nil for no limit.
  let mostLingering: Int?
  var lingeringCount = 0
  var lastUse = 0
  /// The lingering members by their deadlines, and, if there is a limit, by their last uses.
  ///
  /// There may be entries of some that are listened to by now, which are skipped.
  var queue = MemberQueue<Duration>()
  var order = MemberQueue<Int>()
  var latestDeadline = Duration.longAgo
  var timer: (task: CancellableTask, wakesAt: Duration)?
  /// Members that have left the queues: each may have been the last to hold its key, whose release is foreign code.
  var dropped: [FamilyMember] = []

  init(mostLingering: Int? = nil) { self.mostLingering = mostLingering }
}

/// Making and removing managers.
extension FamilyMembers {
  /// How often this thread is making a manager of one hash value, and how many logouts there were before.
  typealias Making = (depth: Int, logouts: Int)

  /// The members with a hash value; if there are none, this thread makes the first one.
  mutating func beginRequest(_ hash: Int) -> (bucket: FamilyBucket?, begun: Making?) {
    if let bucket = buckets[hash] { (bucket, nil) } else { (nil, beginMaking(hash, seeing: nil)) }
  }

  /// Notes that this thread makes a manager, unless another one has added a member since the keys were compared.
  mutating func beginMaking(_ hash: Int, seeing newest: FamilyMember?) -> Making? {
    guard buckets[hash]?.newest === newest else { return nil }
    let maker = Maker(hash: hash)
    makers.append(maker)
    return (makers.count { $0 == maker }, logouts)
  }

  mutating func endMaking(_ hash: Int) {
    if let index = makers.lastIndex(of: Maker(hash: hash)) { makers.remove(at: index) }
  }

  enum Installation {
    case installed(isSweepDue: Bool)
    /// Another thread has added a member since the keys were compared.
    case outdated
    /// Everything was logged out since `make` was called; the number of logouts so far.
    case logoutDue(Int)
  }

  /// Adds a manager whose key isn't in its bucket, or only for a dead member there.
  mutating func install(
    _ new: FamilyMember, seeing newest: FamilyMember?, insteadOf dead: FamilyMember?, logouts known: Int
  ) -> Installation {
    guard buckets[new.hash]?.newest === newest else { return .outdated }
    guard known == logouts else { return .logoutDue(logouts) }
    if let dead { remove([dead]) }
    new.isIntroduced.store(observers.isEmpty, ordering: .relaxed)
    if buckets[new.hash]?.insert(new) == nil { buckets[new.hash] = FamilyBucket(new) }
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
    living.reserveCapacity(count)
    forEach { member in
      if logsOut { member.logout = logouts }
      if let manager = member.manager { living.append((member, manager)) } else { dead.append(member) }
    }
    remove(dead)
    sweepAt = 2 * count + 32
    return (living, dead)
  }

  /// Removes members, which the caller holds.
  mutating func remove(_ members: [FamilyMember]) {
    for member in members {
      guard contains(member) else { continue }
      if buckets[member.hash]?.remove(member) == false { buckets[member.hash] = nil }
      count -= 1
    }
  }

  func forEach(_ body: (FamilyMember) -> Void) {
    for bucket in buckets.values {
      body(bucket.newest)
      for member in bucket.older { body(member) }
    }
  }

  func all(where isWanted: (FamilyMember) -> Bool = { _ in true }) -> [FamilyMember] {
    var all: [FamilyMember] = []
    forEach { if isWanted($0) { all.append($0) } }
    return all
  }

  func contains(_ member: FamilyMember) -> Bool {
    buckets[member.hash]?.first { $0 === member } != nil
  }

  /// Removes everything, because the family is gone.
  mutating func removeAll() -> (members: [FamilyMember], kept: [Object], timer: CancellableTask?) {
    let all = all()
    var former = FamilyMembers()
    swap(&former, &self)
    dropped = former.dropped + former.queue.removeAll() + former.order.removeAll()
    return (all, all.compactMap { $0.kept.take() }, former.timer?.task)
  }

  /// What is to be released after the unlock.
  mutating func takeDropped() -> [FamilyMember] {
    if dropped.isEmpty { return [] }
    defer { dropped = [] }
    return dropped
  }
}
