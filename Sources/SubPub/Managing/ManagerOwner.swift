import Synchronization

/// A load, or a run of a stream, under way.
///
/// `@unchecked`: the variable is used in the publisher's turns only.
final class Run<Value: Sendable>: @unchecked Sendable {
  let id: RunID
  let kind: LoadKind
  let task = CancellableTask()
  /// Waits for the cached value; nil if the run doesn't begin with that.
  let reading: CacheReading<Value>?
  private let attempts = Atomic<UInt>(0)
  /// The error of the last attempt that has failed.
  private let lastFailure = Locked<(any Error)?>(nil)
  /// What a load has ended with; nil while it is active, or if it was superseded.
  fileprivate(set) var result: Publication<Value>?

  init(_ id: RunID, _ kind: LoadKind, reading: CacheReading<Value>?) {
    (self.id, self.kind, self.reading) = (id, kind, reading)
  }

  func noteFailure(_ error: any Error) {
    var error: (any Error)? = error
    // The former one is released outside the lock.
    lastFailure.withLock { swap(&$0, &error) }
  }

  var progress: OwnerProgress {
    OwnerProgress(
      isLoading: true, attempt: Int(attempts.load(ordering: .relaxed) >> 1), lastFailure: lastFailure.withLock { $0 })
  }

  func description(of attempt: Int, _ source: PublisherID) -> LoadDescription {
    LoadDescription(source: source, attempt: attempt, isPage: kind == .page)
  }
}

/// Attempts of a load: the word is twice the number of the last one that has begun, plus one once none may begin.
///
/// An attempt has a task of its own, which may get a thread only after the load has been cancelled, or has timed out.
/// Nothing else depends on the word, so relaxed accesses are enough.
extension Run {
  /// Begins an attempt; returns false if the load has ended, or another attempt has begun, without it.
  func beginAttempt(_ number: Int) -> Bool {
    var found = attempts.load(ordering: .relaxed)
    while found & 1 == 0, found >> 1 < number {
      let (exchanged, original) = attempts.weakCompareExchange(
        expected: found, desired: UInt(number) << 1, ordering: .relaxed)
      if exchanged { return true }
      found = original
    }
    return false
  }

  /// Lets no more attempts begin, and returns how many have.
  func endAttempts() -> Int { Int(attempts.bitwiseOr(1, ordering: .relaxed).oldValue >> 1) }
}

/// A manager's machine and the run that it has begun, as the owner of the manager's publisher.
///
/// Separate from the driver, because the registry holds it. `@unchecked`: used in the publisher's turns only.
final class ManagerOwner<Machine: ManagerMachine>: PublisherOwner, @unchecked Sendable {
  typealias Value = Machine.Value

  var machine: Machine
  private(set) var run: Run<Value>?
  /// Who runs foreign code for a decision, and who waits for that (5.27).
  var preparing = PermitQueue(free: 1)
  /// The permits of the manager's family, which may have none; nil without a family.
  var family: Permits??
  /// The end of a stream's active run; without one, of the last, or of the next if somebody waits for it.
  private(set) var outcome: RunOutcome?
  /// The task that follows a stream's sequence; nil between two of them.
  var follower: TaskToken?
  /// The task that waits for another listener of a stream.
  private(set) var departure: CancellableTask?

  init(_ machine: Machine) { self.machine = machine }

  var transforms: String? { "an edit of mutate(showing:send:)" }

  var progress: OwnerProgress? { run?.progress ?? OwnerProgress(isLoading: false) }

  /// Has the machine decide, without a copy of it, and keeps what it drops.
  @inline(__always)
  func decide(
    keeping former: inout ForeignValues<Value>?, _ body: (inout Machine) -> Machine.Step
  ) -> Machine.Step {
    func decide(_ machine: inout Machine) -> Machine.Step {
      let (phase, data) = (machine.phaseBefore, machine.stack.dataBelow)
      defer { former = (phase, data, machine.stack.takeDropped()) }
      return body(&machine)
    }
    return decide(&machine)
  }

  func othersPublish(_ effects: inout Effects) -> [WaiterID] {
    let waiters = end(&effects) { $0.supersede() }
    if outcome?.end != nil { forgetOutcome(&effects) }
    return waiters
  }

  func publisherFinishes(_ effects: inout Effects) -> [WaiterID] { end(&effects) { $0.endPublisher() } }

  private func end(_ effects: inout Effects, _ decide: (inout Machine) -> Machine.Step) -> [WaiterID] {
    let isActive = machine.activeRun != nil || !machine.stack.edits.isEmpty
    var former: ForeignValues<Value>?
    let step = self.decide(keeping: &former, decide)
    if isActive, let former { effects.releaseAll(in: former) }
    apply(step, nil, nil, &effects)
    return step.publisher.released + step.publisher.answered
  }

  func base(insteadOf current: any BoxedPublication) -> (any BoxedPublication)? {
    guard !machine.stack.edits.isEmpty, let data = machine.stack.dataBelow else { return nil }
    let current = Publication<Value>.from(current)
    return current.next(current.state.with(data.value), data.provenance)
  }

  func reasonNotToWait(for source: PublisherID, in task: TaskToken) -> String? {
    guard follower == task, machine.activeRun != nil else { return nil }
    return """
      The stream of \(source) awaits its own manager, which has nothing to return before the stream has gone on: ask in \
      a task of its own, or don't ask
      """
  }

  /// Ends and makes runs, and what follows listeners, as a step says.
  func apply(
    _ step: Machine.Step, _ result: Publication<Value>?, _ reading: CacheReading<Value>?, _ effects: inout Effects
  ) {
    if let end = step.end, let ended = run.take() {
      effects.releaseAll(in: ended)
      if case .cancelled = end { effects.call { ended.task.cancel() } } else { ended.result = result }
      // Unless another run goes on in its place.
      if step.begun == nil { outcome?.end = end }
    }
    if let (id, kind, _) = step.begun {
      run = Run(id, kind, reading: reading)
      if Machine.followsListeners { _ = outcomeToCome(&effects) }
    }
    if case .clear = step.cacheChange, outcome?.end != nil { forgetOutcome(&effects) }
    noteDeparture(step.departure, &effects)
  }
}

/// Streams.
extension ManagerOwner {
  private func noteDeparture(_ new: Departure?, _ effects: inout Effects) {
    guard departure != nil || new != nil else { return }
    if new != nil || machine.departure == nil, let ended = departure.take() { effects.call { ended.cancel() } }
    if new != nil { departure = CancellableTask() }
  }

  /// The outcome of the active run, or of the next one.
  func outcomeToCome(_ effects: inout Effects) -> RunOutcome {
    if outcome?.end != nil { forgetOutcome(&effects) }
    let coming = outcome ?? RunOutcome()
    outcome = coming
    return coming
  }

  private func forgetOutcome(_ effects: inout Effects) {
    if let forgotten = outcome.take() { effects.releaseAll(in: forgotten) }
  }
}

/// How a run has ended, for the tasks that wait for it; `@unchecked`: used in the publisher's turns only.
final class RunOutcome: @unchecked Sendable {
  /// Nil while the run is active, or goes on in another one.
  var end: RunEnd?
}
