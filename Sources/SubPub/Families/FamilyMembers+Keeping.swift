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
