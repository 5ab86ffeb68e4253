/// A transition of a load, made from the state that one turn has found.
struct LoadStep {
  let found: PresentState
  let state: any BoxedPublication
  /// The pending edits to keep, over the server's data after this step (5.20).
  let edits: (any AnyObject & Sendable)?
}

/// The outcome of a transition that depends on the present state.
enum StepOutcome<Result> {
  case made(Result)
  /// The state has changed in the meantime, so the transition has to be made again.
  case changed
  /// The load or the publisher has ended.
  case superseded
}

/// What a load has made of a cached value.
enum CachedOutcome {
  /// It was published as the result, and the load has ended.
  case isResult
  /// It was published, and the load goes on.
  case published
  /// There is newer data, and the load goes on.
  case obsolete
}

extension RegistryState {
  /// Returns whether neither the state nor the pending edits have changed.
  func isUnchanged(since found: PresentState) -> Bool {
    current === found.current && loading.edits === found.edits
  }

  /// Makes a transition of a load, unless the load has ended or the state that it was made from has changed.
  mutating func make<Result>(
    _ step: LoadStep, of task: LoadTask, _ effects: inout Effects,
    _ body: (inout RegistryState, inout Effects) -> Result?
  ) -> StepOutcome<Result> {
    guard loading.active?.task === task else { return .superseded }
    guard isUnchanged(since: step.found) else { return .changed }
    replaceEdits(step.edits, &effects)
    return body(&self, &effects).map(StepOutcome.made) ?? .superseded
  }

  mutating func replaceEdits(_ new: (any AnyObject & Sendable)?, _ effects: inout Effects) {
    if let old = loading.edits, old !== new { effects.releaseAll(in: old) }
    loading.edits = new
  }
}
