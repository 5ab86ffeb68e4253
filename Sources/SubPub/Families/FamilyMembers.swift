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
  private var listenedToCount = 0
  /// The number of members above which it is worth looking for dead ones.
  private var sweepAt = 32
  /// How many may linger; nil for no limit.
  private let mostLingering: Int?
  private var lingeringCount = 0
  private var lastUse = 0
  /// The lingering members by their deadlines, and, if there is a limit, by their last uses.
  ///
  /// There may be entries of some that are listened to by now, which are skipped.
  private var queue = MemberQueue<Duration>()
  private var order = MemberQueue<Int>()
  private(set) var latestDeadline = Duration.longAgo
  private var timer: (task: CancellableTask, wakesAt: Duration)?
  /// Members that have left the queues: each may have been the last to hold its key, whose release is foreign code.
  private var dropped: [FamilyMember] = []

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

  private func forEach(_ body: (FamilyMember) -> Void) {
    for bucket in buckets.values {
      body(bucket.newest)
      for member in bucket.older { body(member) }
    }
  }

  private func all(where isWanted: (FamilyMember) -> Bool = { _ in true }) -> [FamilyMember] {
    var all: [FamilyMember] = []
    forEach { if isWanted($0) { all.append($0) } }
    return all
  }

  private func contains(_ member: FamilyMember) -> Bool {
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

/// Keeping managers that linger or are listened to.
extension FamilyMembers {
  /// A timer that the caller has to start, and the one that it takes the place of.
  typealias NewTimer = (started: CancellableTask, ended: CancellableTask?)
  /// A manager that isn't kept any more, to be released after the unlock.
  typealias Released = (member: FamilyMember, manager: Object)

  /// Keeps a manager at least until a deadline; returns those that have to go because too many linger.
  mutating func keep(
    _ member: FamilyMember, _ manager: Object, until deadline: Duration?
  ) -> (released: [Released], timer: NewTimer?) {
    guard let deadline else { return ([], nil) }
    change(member) { $0.kept = manager }
    lastUse += 1
    member.use = lastUse
    // A thread that was slow to get here may have asked earlier.
    member.deadline = max(member.deadline, deadline)
    if mostLingering != nil, !member.isInOrder, !member.isListenedTo { enqueueByUse(member) }
    let released = releaseSurplus()
    guard deadline < .unlimited else { return (released, nil) }
    latestDeadline = max(latestDeadline, deadline)
    if !member.isQueued, !member.isListenedTo { enqueue(member) }
    // A timer that will look later than this was started before the clock was set back.
    if let timer, timer.wakesAt <= deadline { return (released, nil) }
    let new = (started: CancellableTask(), ended: timer?.task)
    timer = (new.started, deadline)
    return (released, new)
  }

  /// Changes whether a member is kept or listened to, and counts those that linger.
  private mutating func change<Result>(_ member: FamilyMember, _ body: (FamilyMember) -> Result) -> Result {
    if member.isLingering { lingeringCount -= 1 }
    defer { if member.isLingering { lingeringCount += 1 } }
    return body(member)
  }

  private mutating func enqueue(_ member: FamilyMember) {
    member.isQueued = true
    queue.insert(member, member.deadline)
    guard queue.count > mostQueued else { return }
    dropped += queue.keep { member in
      member.isQueued = member.isLingering
      return member.isQueued
    }
  }

  private mutating func enqueueByUse(_ member: FamilyMember) {
    member.isInOrder = true
    order.insert(member, member.use)
    guard order.count > mostQueued else { return }
    dropped += order.keep { member in
      member.isInOrder = member.isLingering
      return member.isInOrder
    }
  }

  /// How many may be in a queue, so that those that were let go, or are listened to, don't pile up.
  private var mostQueued: Int { 2 * lingeringCount + 64 }

  /// Stops keeping the managers that have lingered longest, if too many do (5.28).
  private mutating func releaseSurplus() -> [Released] {
    guard let mostLingering else { return [] }
    var released: [Released] = []
    while lingeringCount > mostLingering, let (use, member) = order.first {
      dropped.append(order.removeFirst())
      member.isInOrder = false
      if !member.isLingering { continue }
      if member.use != use {
        enqueueByUse(member)
        continue
      }
      // The notice of its first listener may be on its way.
      if member.isListenedToNow { noteListened(member, true) } else { released += release(member) }
    }
    return released
  }

  /// Stops keeping a manager.
  private mutating func release(_ member: FamilyMember) -> [Released] {
    change(member) { $0.kept.take() }.map { [(member, $0)] } ?? []
  }

  /// Stops keeping a manager that lingers (5.28).
  mutating func letGo(_ member: FamilyMember) -> [Released] {
    member.isListenedTo || member.isListenedToNow ? [] : release(member)
  }

  /// Records whether anybody listens; returns managers that aren't kept any more.
  ///
  /// Asks for that under the lock, because calls may overtake each other. Does nothing for a member that was removed.
  mutating func noteListeners(
    of member: FamilyMember, _ manager: Object, until deadline: Duration?
  ) -> (released: [Released], timer: NewTimer?) {
    guard contains(member) else { return ([], nil) }
    let isListenedTo = member.isListenedToNow
    noteListened(member, isListenedTo)
    if isListenedTo {
      change(member) { $0.kept = manager }
      return ([], nil)
    }
    return deadline == nil ? (release(member), nil) : keep(member, manager, until: deadline)
  }

  private mutating func noteListened(_ member: FamilyMember, _ isListenedTo: Bool) {
    if isListenedTo != member.isListenedTo { listenedToCount += isListenedTo ? 1 : -1 }
    change(member) { $0.isListenedTo = isListenedTo }
  }

  /// The publishers that are listened to, perhaps only by dead subscribers.
  var listenedTo: [PublisherRegistry] { listenedToCount == 0 ? [] : all(where: \.isListenedTo).map(\.registry) }

  /// Stops keeping managers whose time is over; returns them, and how long the next one lingers.
  ///
  /// `latest` was the latest deadline when the clock was read. If it is further away than managers linger, the clock
  /// was set back. Does nothing for a timer that another one has taken the place of.
  mutating func evict(
    at now: Duration, lingering: Duration, latest: Duration, for task: CancellableTask
  ) -> (evicted: [Released], next: Duration?) {
    guard timer?.task === task else { return ([], nil) }
    let limit = now + lingering
    if latest > limit {
      forEach { if $0.deadline <= latest { $0.deadline = min($0.deadline, limit) } }
      queue.limit { $0 <= latest ? min($0, limit) : $0 }
      if latestDeadline == latest { latestDeadline = limit }
    }
    var evicted: [Released] = []
    while let (deadline, member) = queue.first {
      guard deadline <= now else {
        timer?.wakesAt = deadline
        // A member may have been added since, by a thread that had read the clock before it was set back.
        return (evicted, min(deadline - now, lingering))
      }
      dropped.append(queue.removeFirst())
      member.isQueued = false
      if member.isListenedTo || member.isListenedToNow { continue }
      if member.deadline > now { enqueue(member) } else { evicted += release(member) }
    }
    timer = nil
    return (evicted, nil)
  }

  /// Stops keeping all managers that nobody listens to, because the clock has failed.
  mutating func stopKeeping() -> [Released] {
    dropped += queue.removeAll() + order.removeAll()
    timer = nil
    return all().flatMap { member in
      (member.isQueued, member.isInOrder) = (false, false)
      return letGo(member)
    }
  }
}
