/// What a manager knows about the runs of its stream, and every decision about them (5.21).
struct StreamMachine<Value: Sendable>: ManagerMachine {
  typealias Present = ManagerPresent<Value>
  typealias Step = ManagerStep<Value>

  /// Follows the sequence until it ends, or until `receive` returns false.
  typealias Follow = @Sendable (_ receive: (Value) async -> Bool) async throws -> Void

  /// A run of the stream.
  ///
  /// Every transition but its own, those of edits (5.20) and merges (5.26), and `republish()` ends it (5.04).
  struct ActiveRun {
    /// Changes with each attempt, so that an attempt that is over publishes nothing.
    var id: RunID
    /// The phase to return to if the run ends now; nil once it has published an element or an error.
    var before: FormerPhase?
    /// The errors since the last element.
    var failures = 0
  }

  var stack: EditStack<Value>
  /// Whether a run ends with its last listener: `keepingAlive` is zero.
  private let endsAtOnce: Bool
  private(set) var run: ActiveRun?
  /// How many runs have begun.
  private(set) var runCount = 0
  /// The version of the first `loading` of the last run, which may be over.
  private(set) var versionOfLastRun: UInt64 = 0
  /// Whether a sequence exists, even if its attempt is over by now.
  private var isIterating = false
  /// The attempt that waits until it doesn't.
  private var successor: WaiterID?
  /// Tasks that wait for the end of the active run, and of those that take its place.
  ///
  /// If no run is active, they wait for the end of the next one.
  var endWaiters: Set<WaiterID> = []
  /// What the last notice about listeners that was taken into account says, and its number.
  private var isListenedTo = false
  private var notice: UInt64 = 0
  /// What ends the active run, unless a listener arrives first.
  private(set) var departure: Departure?
  private(set) var isOver = false

  init(endsAtOnce: Bool = false, sendsOneAtATime: Bool = false) {
    self.endsAtOnce = endsAtOnce
    stack = EditStack(sendsOneAtATime: sendsOneAtATime)
  }

  static var followsListeners: Bool { true }
  var activeRun: RunID? { run?.id }
  var phaseBefore: FormerPhase? { run?.before }

  mutating func noteAnswer() { if run?.before != nil { run?.before = .loaded(()) } }

  func noteStaleData() {}
}

/// Identifies the moment at which the last listener has left.
struct Departure: Equatable { let notice: UInt64 }

/// The beginning and the end of runs.
extension StreamMachine {
  /// Whether a run is active, also if the notice that begins or ends it is on its way.
  func isRunning(_ last: (isListenedTo: Bool, number: UInt64)?) -> Bool {
    guard let (isListenedTo, number) = last, number > notice else { return run != nil }
    return isListenedTo ? run != nil || !isOver : run != nil && !endsAtOnce
  }

  /// Begins a run if the first listener has arrived; if the last one has left, ends it, or begins a departure.
  ///
  /// Takes the last notice into account, once. A notice may be on its way while its thread is interrupted, so the
  /// driver calls this before every decision. Returns nil if there is nothing new.
  mutating func noteListeners(_ present: Present) -> Step? {
    guard let (isListenedTo, number) = present.notice, number > notice else { return nil }
    // Otherwise, the last listener has left before this one came, and the run has ended with it.
    let isFirst = number == notice + 1
    (self.isListenedTo, notice) = (isListenedTo, number)
    if isListenedTo {
      departure = nil
      return beginIfListenedTo(ifRunsAre: nil, restarting: endsAtOnce && !isFirst, present)
    }
    // In this turn, because the thread that has left may not get another one before it looks.
    if endsAtOnce { return rollBack(present) }
    var step = Step()
    if run != nil {
      departure = Departure(notice: number)
      step.departure = departure
    }
    return step
  }

  /// Begins a run if somebody listens and none is active; with a number, only if no more runs than that have begun.
  ///
  /// With `restarting`, the run takes the place of an active one, and inherits the phase to return to and the tasks
  /// that wait for the end.
  mutating func beginIfListenedTo(ifRunsAre runs: Int?, restarting: Bool = false, _ present: Present) -> Step {
    var step = Step()
    guard runs == nil || runs == runCount, isListenedTo, !isOver else { return step }
    let before = run?.before
    if restarting, run.take() != nil { step.end = .cancelled }
    guard run == nil else { return step }
    runCount += 1
    versionOfLastRun = present.publication.version + 1
    let id = RunID(number: runCount)
    run = ActiveRun(id: id, before: before ?? present.state.withoutData)
    step.begun = (id, .whole, readsCache: present.state.value == nil)
    step.publisher.published = present.publication.next(.loading(previous: present.state.value))
    return step
  }

  /// Ends the active run, unless somebody has come back since the departure, perhaps without a notice so far.
  mutating func end(after departure: Departure, _ present: Present) -> Step {
    guard self.departure == departure, present.notice?.number == departure.notice else { return Step() }
    self.departure = nil
    return rollBack(present)
  }

  mutating func endManager(_ present: Present) -> Step { endAll(rollBack(present)) }

  mutating func endPublisher() -> Step { endAll(supersede()) }

  private mutating func endAll(_ step: Step) -> Step {
    var step = step
    (isOver, departure) = (true, nil)
    // Those that have waited for the next run.
    step.publisher.answered += endWaiters.sorted()
    endWaiters = []
    return step
  }

  mutating func supersede() -> Step {
    var step = Step()
    endRun(.cancelled, &step)
    step.publisher.released += stack.drop()
    return step
  }

  mutating func logout(_ present: Present) -> Step { replace(with: nil, present) }

  private mutating func rollBack(_ present: Present, _ end: RunEnd = .cancelled) -> Step {
    var step = Step()
    if let before = run?.before {
      step.publisher.published = present.publication.next(before.with(present.state.value))
    }
    endRun(end, &step)
    return step
  }

  private mutating func endRun(_ end: RunEnd, _ step: inout Step) {
    guard run != nil else { return }
    step.end = end
    step.publisher.answered = endWaiters.sorted()
    (run, endWaiters, departure) = (nil, [], nil)
  }
}

/// Waiting.
extension StreamMachine {
  /// Begins an attempt's iteration, and returns nil, unless a sequence still exists: then the attempt waits for its
  /// end.
  ///
  /// If another attempt waits, it is over by now, because there is one at a time.
  mutating func beginIterating(orWait waiter: @autoclosure () -> WaiterID) -> WaiterID? {
    if isIterating { successor = waiter() } else { isIterating = true }
    return successor
  }

  /// Notes that the sequence is gone, and returns the attempt that has waited for that.
  mutating func endIterating() -> WaiterID? {
    isIterating = false
    return successor.take()
  }
}

/// What a run publishes, each time unless it has ended.
extension StreamMachine {
  /// Publishes a cached value, which was new at `freshSince`.
  ///
  /// Does nothing if there is newer data, of an edit that the server has answered in the meantime.
  mutating func find(
    _ cached: Cached<Value>, freshSince: Duration?, of id: RunID, _ prepared: Prepared<Value>?, _ present: Present
  ) -> Decision<Value> {
    guard run?.id == id, serverData(present) == nil else { return .nothing }
    let prepared = stack.current(prepared)
    let data = ServerData(cached.value, Provenance(.cached, freshSince: freshSince))
    if prepared == nil, !stack.edits.isEmpty { return .needs(stack.preparation(of: data)) }
    run?.before = nil
    var step = show(data, prepared, present)
    step.publisher.validity?.isInvalidated = stack.isCacheOutdated || cached.age >= .unlimited
    return .done(step)
  }

  /// Publishes an element, which is new since `time`; nil if nobody measures ages.
  ///
  /// It takes the place of the server's data, under the pending edits.
  mutating func receive(
    _ element: Value, at time: Duration?, of id: RunID, _ prepared: Prepared<Value>?, _ present: Present
  ) -> Decision<Value> {
    guard run?.id == id else { return .nothing }
    let prepared = stack.current(prepared)
    let data = ServerData(element, Provenance(.loaded, freshSince: time))
    if prepared == nil, !stack.edits.isEmpty { return .needs(stack.preparation(of: data)) }
    var step = show(data, prepared, present)
    run?.before = nil
    run?.failures = 0
    stack.noteNews()
    stack.noteCache(isOutdated: false)
    step.cacheChange = .write(data, freshSince: time, hasNews: false)
    return .done(step)
  }

  /// Publishes an error, which ends the attempt; `isLast` tells whether it ends the run.
  mutating func fail(_ error: any Error, isLast: Bool, of id: RunID, _ present: Present) -> Step {
    var step = Step()
    guard run?.id == id else { return step }
    run?.before = nil
    run?.id.attempt += 1
    run?.failures += 1
    step.publisher.published = present.publication.next(.error(error, previous: present.state.value))
    if isLast { endRun(.failed(error), &step) }
    return step
  }

  /// Publishes that the stream is tried again, or that it goes on after a cached value.
  mutating func showLoading(of id: RunID, _ present: Present) -> Step {
    var step = Step()
    guard let found = run, found.id == id, found.before == nil else { return step }
    run?.before = present.state.withoutData
    step.publisher.published = present.publication.next(.loading(previous: present.state.value))
    return step
  }

  /// Ends the run, unless it is over, because its sequence has ended, or because of an error that was published.
  mutating func endTask(of id: RunID, _ error: (any Error)?, _ present: Present) -> Step {
    run?.id == id ? rollBack(present, error.map(RunEnd.failed) ?? .finished) : Step()
  }
}
