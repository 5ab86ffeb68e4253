/// Whoever decides about a publisher's states, such as a manager, and is told what others do there.
///
/// The publisher's turns guard its state, too, so it needs no lock. In them it only decides: what remains to be done
/// goes into `Effects`. Everybody else is free to publish; the owner is only told of it.
protocol PublisherOwner: AnyObject, Sendable {
  /// Somebody else publishes a state, in this turn.
  ///
  /// Not called for `republish()`, which changes nothing. Returns the tasks that don't wait any longer.
  func othersPublish(_ effects: inout Effects) -> [WaiterID]

  /// The state that transitions by others start from; nil if it is the current one.
  func base(insteadOf current: any BoxedPublication) -> (any BoxedPublication)?

  /// Why a task must not wait for the publisher's next state; nil if it may.
  func reasonNotToWait(for source: PublisherID, in task: TaskToken) -> String?
}

/// What an owner has decided in a turn.
struct OwnerStep<Value: Sendable> {
  /// The state that is published, and where its data comes from.
  var published: (state: LoadState<Value>, provenance: Provenance?)?
  /// What has happened to the data at hand; nil if nothing has.
  var validity: DataValidity?
  /// Tasks that don't wait any longer.
  var released: [WaiterID] = []
  /// Tasks that don't wait any longer once this thread has delivered the state, as every publishing thread does.
  var answered: [WaiterID] = []
}

extension PublisherOwner {
  func base(insteadOf current: any BoxedPublication) -> (any BoxedPublication)? { nil }
  func reasonNotToWait(for source: PublisherID, in task: TaskToken) -> String? { nil }
}

extension PublisherRegistry {
  /// Makes an object the publisher's owner, before anybody else knows the publisher.
  nonisolated func setOwner(_ owner: any PublisherOwner) { turn { $0.owner = owner } }

  /// Stops the program if the current task, which is about to wait for a state, keeps the owner from publishing one.
  nonisolated func stopIfAwaitedByOwner() {
    guard !Task.isCancelled, let task = TaskToken.current else { return }
    if let reason = turn({ $0.owner?.reasonNotToWait(for: source, in: task) }) { stopForMisuse(reason) }
  }

  /// Takes one turn in which the owner decides, and then does what it has decided.
  ///
  /// Returns nil after the publisher's end. Stops the program if the owner publishes while this thread is running a
  /// transform, which would run again.
  nonisolated func decide<Value: Sendable, Answer>(
    _ body: (_ current: Publication<Value>, inout RegistryState, inout Effects) -> (OwnerStep<Value>, Answer)
  ) -> Answer? {
    var effects = Effects()
    let outcome = turn { registry -> OwnerOutcome<Value, Answer>? in
      guard !registry.isEnded, let current = registry.current else { return nil }
      let (step, answer) = body(.from(current), &registry, &effects)
      return registry.take(step, answer, from: source, &effects)
    }
    guard let outcome else { return nil }
    if outcome.isMisuse { stopForTransform() }
    effects.perform()
    if let (action, state) = outcome.accepted { action.perform(delivering: state) }
    // In a second turn. Whoever hasn't begun to wait yet doesn't wait at all.
    if !outcome.answered.isEmpty {
      perform { registry, effects in for waiter in outcome.answered { registry.waiters.arrive(waiter, &effects) } }
    }
    return outcome.answer
  }
}

private struct OwnerOutcome<Value: Sendable, Answer> {
  let accepted: (AcceptAction, Publication<Value>)?
  let answered: [WaiterID]
  let answer: Answer
  let isMisuse: Bool
}

extension RegistryState {
  fileprivate mutating func take<Value, Answer>(
    _ step: OwnerStep<Value>, _ answer: Answer, from source: PublisherID, _ effects: inout Effects
  ) -> OwnerOutcome<Value, Answer> {
    let accepted = step.published.map { new in
      let publication = Publication(new.state, source: source, provenance: new.provenance)
      return (accept(publication, replays: true, &effects), publication)
    }
    if let validity = step.validity { self.validity = validity }
    for waiter in step.released { waiters.arrive(waiter, &effects) }
    let isMisuse = accepted != nil && !updating.isEmpty && updating.contains(.current)
    return OwnerOutcome(accepted: accepted, answered: step.answered, answer: answer, isMisuse: isMisuse)
  }
}
