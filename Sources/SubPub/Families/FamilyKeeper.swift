/// The members of a family, with the clock and the timer that release them.
final class FamilyKeeper: Sendable {
  typealias Object = FamilyMembers.Object

  let members = Locked(FamilyMembers())
  private let lingering: Duration
  // Both are foreign code.
  private let elapsed: @Sendable () -> Duration
  private let sleep: @Sendable (Duration) async throws -> Void

  init(lingering: Duration, clock: any Clock<Duration>) {
    guard lingering >= .zero else {
      stopForMisuse("lingering is \(lingering), but nothing is kept for less than no time: give zero or more")
    }
    self.lingering = lingering
    elapsed = clock.stopwatch()
    sleep = { try await clock.sleep(for: $0) }
  }

  /// Until when a manager lingers that is requested now, or was listened to until now; nil if managers don't linger.
  var deadline: Duration? {
    if lingering == .zero { nil } else if lingering >= .unlimited { .unlimited } else { elapsed() + lingering }
  }

  /// Keeps a manager that was requested.
  func keep(_ member: FamilyMember, _ manager: Object, until deadline: Duration?) {
    guard deadline != nil else { return }
    start(members.withLock { $0.keep(member, manager, until: deadline) })
  }

  /// Keeps a manager for as long as anybody listens to its publisher, and after that for as long as managers linger.
  ///
  /// The caller holds the manager.
  func watch(_ member: FamilyMember) {
    member.registry.addNotice(for: ObjectIdentifier(member), countingParts: false) {
      [weak self, weak member] isListenedTo, notice in
      guard let self, let member, let manager = member.manager else { return }
      let deadline = isListenedTo ? nil : deadline
      let (released, timer) = members.withLock {
        $0.note(isListenedTo: isListenedTo, notice, member, manager, until: deadline)
      }
      start(timer)
      withExtendedLifetime(released) {}
    }
  }

  /// Removes dead members, and returns the living managers; a logout is also for those that are being made.
  func sweep(logsOut: Bool = false) -> [(member: FamilyMember, manager: Object)] {
    // A subscriber that has died unnoticed doesn't listen any more: counting finds it.
    for registry in members.withLock({ $0.heard }) { _ = registry.subscriptions }
    let (living, dead) = members.withLock { $0.sweep(logsOut: logsOut) }
    unwatch(dead)
    return living
  }

  func unwatch(_ members: [FamilyMember]) {
    for member in members { member.registry.removeNotice(for: ObjectIdentifier(member)) }
  }

  /// Releases everything, because the family is gone.
  func end() {
    let removed = members.withLock { $0.removeAll() }
    removed.timer?.cancel()
    unwatch(removed.members)
  }

  /// Starts a timer, which releases managers whenever their time is over, until none lingers.
  private func start(_ timer: Int?) {
    guard let timer else { return }
    let task = Task.detached { [self] in
      do {
        while !Task.isCancelled, let next = evict() { try await sleep(next) }
      } catch {
        // Without the clock, nothing would ever be released.
        if !Task.isCancelled { members.withLock { $0.stopKeeping() } }
      }
    }
    members.withLock { $0.setTimer(task, number: timer) }?.cancel()
  }

  /// Releases managers whose time is over; returns how long the next one lingers.
  private func evict() -> Duration? {
    let latest = members.withLock { $0.latestDeadline }
    let now = elapsed()
    // The evicted managers are released here, and then their members.
    let next = members.withLock { $0.evict(at: now, lingering: lingering, latest: latest) }.next
    if members.withLock({ $0.isSweepDueAfterEviction }) { _ = sweep() }
    return next
  }
}

/// A heap of members, the one with the earliest deadline first.
struct DeadlineQueue {
  /// Each with its deadline when it was added, which may have been prolonged since.
  private var all: [(deadline: Duration, member: FamilyMember)] = []

  var first: (deadline: Duration, member: FamilyMember)? { all.first }

  mutating func insert(_ member: FamilyMember) {
    var index = all.count
    all.append((member.deadline, member))
    while index > 0, all[index].deadline < all[(index - 1) / 2].deadline {
      all.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  mutating func removeFirst() {
    all.swapAt(0, all.count - 1)
    all.removeLast()
    var (index, child) = (0, 1)
    while child < all.count {
      if child + 1 < all.count, all[child + 1].deadline < all[child].deadline { child += 1 }
      guard all[child].deadline < all[index].deadline else { return }
      all.swapAt(index, child)
      (index, child) = (child, 2 * child + 1)
    }
  }

  /// Changes deadlines without changing their order.
  mutating func limit(_ change: (Duration) -> Duration) {
    for index in all.indices { all[index].deadline = change(all[index].deadline) }
  }
}
