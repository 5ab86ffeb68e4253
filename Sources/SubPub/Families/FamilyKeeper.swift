/// The members of a family, with the clock and the timer that release them.
final class FamilyKeeper: Sendable {
  typealias Object = FamilyMembers.Object

  private let members: Locked<FamilyMembers>
  private let lingering: Duration
  // Both are foreign code.
  private let elapsed: @Sendable () -> Duration
  private let sleep: @Sendable (Duration) async throws -> Void

  init(lingering: Duration, mostLingering: Int?, clock: any Clock<Duration>) {
    guard lingering >= .zero else {
      stopForMisuse("lingering is \(lingering), but nothing is kept for less than no time: give zero or more")
    }
    if let mostLingering, mostLingering < 0 {
      stopForMisuse("mostLingering is \(mostLingering), but no fewer than none linger: give zero or more, or nil")
    }
    self.lingering = lingering
    members = Locked(FamilyMembers(mostLingering: mostLingering))
    elapsed = clock.stopwatch()
    sleep = { try await clock.sleep(for: $0) }
  }

  /// Runs the body under the lock, and releases after it what has been dropped.
  @discardableResult @inline(__always)
  func withMembers<Result>(_ body: (inout FamilyMembers) -> Result) -> Result {
    members.withLock { members in (result: body(&members), dropped: members.takeDropped()) }.result
  }

  /// When a manager stops lingering if it is requested, or loses its last listener, now; nil if managers don't linger.
  var deadline: Duration? {
    if lingering == .zero { nil } else if lingering >= .unlimited { .unlimited } else { elapsed() + lingering }
  }

  /// Keeps a manager that was requested.
  func keep(_ member: FamilyMember, _ manager: Object, until deadline: Duration?) {
    guard deadline != nil else { return }
    let (released, timer) = withMembers { $0.keep(member, manager, until: deadline) }
    start(timer)
    release(consume released)
  }

  /// Stops keeping a manager that lingers; returns whether it does.
  func letGo(_ member: FamilyMember) -> Bool {
    let released = withMembers { $0.letGo(member) }
    let wasLingering = !released.isEmpty
    release(consume released)
    return wasLingering
  }

  /// Keeps a manager for as long as anybody listens to its publisher, and after that for as long as managers linger.
  ///
  /// The caller holds the manager. The publisher's registry holds the member, which holds the registry, until the
  /// member is removed.
  func watch(_ member: FamilyMember) {
    member.registry.addNotice(for: member.id, countingParts: false) { [self] in
      guard let manager = member.manager else { return }
      let deadline = deadline
      let (released, timer) = withMembers { $0.noteListeners(of: member, manager, until: deadline) }
      start(timer)
      _ = consume manager
      release(consume released)
    }
  }

  /// Removes dead members, and returns the living managers; a logout is also for those that are being made.
  func sweep(logsOut: Bool = false) -> [(member: FamilyMember, manager: Object)] {
    // A subscriber that has died unnoticed doesn't listen any more: counting finds it.
    for registry in withMembers({ $0.listenedTo }) { _ = registry.subscriptions }
    let (living, dead) = withMembers { $0.sweep(logsOut: logsOut) }
    unwatch(dead)
    return living
  }

  func unwatch(_ members: [FamilyMember]) {
    for member in members { member.registry.removeNotice(for: member.id) }
  }

  /// Releases everything, because the family is gone.
  func end() {
    let removed = withMembers { $0.removeAll() }
    removed.timer?.cancel()
    unwatch(removed.members)
  }

  /// Starts a timer, which releases managers whenever their time is over, until none lingers.
  private func start(_ timer: FamilyMembers.NewTimer?) {
    guard let (task, former) = timer else { return }
    former?.cancel()
    task.start(on: nil) { [self] in
      do {
        while !Task.isCancelled, let next = evict(task) { try await sleep(next) }
      } catch {
        // Without the clock, nothing would ever be released.
        if !Task.isCancelled { release(withMembers { $0.stopKeeping() }) }
      }
    }
  }

  /// Releases managers whose time is over, and removes those that nobody else holds.
  ///
  /// Returns how long the next one lingers.
  private func evict(_ timer: CancellableTask) -> Duration? {
    let latest = withMembers { $0.latestDeadline }
    let now = elapsed()
    let (evicted, next) = withMembers { $0.evict(at: now, lingering: lingering, latest: latest, for: timer) }
    release(consume evicted)
    return next
  }

  /// Releases managers, and removes those that nobody holds then; the caller must hold none of them.
  private func release(_ managers: consuming [FamilyMembers.Released]) {
    if managers.isEmpty { return }
    let former = managers.map(\.member)
    _ = consume managers
    let dead = former.filter { $0.manager == nil }
    withMembers { $0.remove(dead) }
    unwatch(dead)
  }
}
