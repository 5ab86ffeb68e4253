import Synchronization

/// A load under way.
final class Load<Value: Sendable>: @unchecked Sendable {
  let id: LoadID
  let kind: LoadKind
  let task = CancellableTask()
  /// Waits for the cached value; nil if the load doesn't begin with that.
  let reading: CacheReading<Value>.Wait?
  private let attempts = Atomic<UInt>(0)
  /// The error of the last attempt that has failed.
  private let lastFailure = Locked<(any Error)?>(nil)
  /// What the load has ended with, used in turns; nil while it is active, or if it was superseded.
  fileprivate(set) var result: Publication<Value>?

  init(_ id: LoadID, _ kind: LoadKind, reading: CacheReading<Value>.Wait?) {
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

/// Attempts: the word is twice the number of the last one that has begun, plus one once none may begin.
///
/// An attempt has a task of its own, which may get a thread only after the load has been cancelled, or has timed out.
/// Nothing else depends on the word, so relaxed accesses are enough.
extension Load {
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

/// A manager's machine and the load that it has begun, as the owner of the manager's publisher.
///
/// Separate from the driver, because the registry holds it. `@unchecked`: used in the publisher's turns only.
final class LoadOwner<Value: Sendable>: PublisherOwner, @unchecked Sendable {
  var machine: LoadMachine<Value>
  var load: Load<Value>?

  init(_ rules: LoadMachine<Value>.Rules) { machine = LoadMachine(rules) }

  var transforms: String? { "an edit of mutate(showing:send:)" }

  var progress: OwnerProgress? { load?.progress ?? OwnerProgress(isLoading: false) }

  func othersPublish(_ effects: inout Effects) -> [WaiterID] { end(&effects) { $0.supersede() } }

  func publisherFinishes(_ effects: inout Effects) -> [WaiterID] { end(&effects) { $0.endPublisher() } }

  private func end(
    _ effects: inout Effects, _ decide: (inout LoadMachine<Value>) -> LoadStep<Value>
  ) -> [WaiterID] {
    if machine.load != nil || !machine.edits.isEmpty { effects.releaseAll(in: machine.foreignValues) }
    let step = decide(&machine)
    apply(step, nil, &effects)
    return step.publisher.released
  }

  func base(insteadOf current: any BoxedPublication) -> (any BoxedPublication)? {
    guard !machine.edits.isEmpty, let data = machine.dataBelow else { return nil }
    let current = Publication<Value>.from(current)
    return current.next(current.state.with(data.value), data.provenance)
  }

  /// Ends the active load if the step says so.
  func apply(_ step: LoadStep<Value>, _ result: Publication<Value>?, _ effects: inout Effects) {
    guard let ending = step.ending, let ended = load.take() else { return }
    effects.releaseAll(in: ended)
    switch ending {
    case .finished: ended.result = result
    case .cancelled: effects.call { ended.task.cancel() }
    }
  }
}
