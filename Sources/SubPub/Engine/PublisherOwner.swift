/// Whoever decides about a publisher's states, and is told what others do there.
///
/// The publisher's turns guard the owner's state as well, so it needs no lock. In them it only decides: what remains to
/// be done goes into `Effects`. Everybody else is free to publish; the owner is only told of it.
protocol PublisherOwner: AnyObject, Sendable {
  /// Somebody else publishes a state, in this turn.
  ///
  /// Not called for `republish()`, which changes nothing. Returns the tasks that don't wait any longer.
  func othersPublish(_ effects: inout Effects) -> [WaiterID]

  /// The state that transitions by others start from; nil if it is the current one.
  func base(insteadOf current: any BoxedPublication) -> (any BoxedPublication)?

  /// What transforms of the owner are called in a message to users; nil if it has none.
  var transforms: String? { get }

  /// Why a task must not wait for the publisher's next state; nil if it may.
  func reasonNotToWait(for source: PublisherID, in task: TaskToken) -> String?
}

/// What an owner has decided in a turn.
struct PublisherStep<Value: Sendable> {
  /// The state that is published, and where its data comes from.
  var published: (state: LoadState<Value>, provenance: Provenance?)?
  /// What has happened to the data at hand; nil if nothing has.
  var validity: DataValidity?
  /// Tasks to resume at once.
  var released: [WaiterID] = []
  /// Tasks to resume once this thread has delivered the state.
  var answered: [WaiterID] = []
}

extension PublisherOwner {
  var transforms: String? { nil }
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
    _ body: (_ current: Publication<Value>, _ state: inout RegistryState, inout Effects) -> (
      PublisherStep<Value>, Answer
    )
  ) -> Answer? {
    var effects = Effects()
    let outcome = turn { state -> PublisherOutcome<Value, Answer>? in
      guard !state.isEnded, let current = state.current else { return nil }
      let (step, answer) = body(.from(current), &state, &effects)
      let accepted = step.published.map { new in
        let publication = Publication(new.state, source: source, provenance: new.provenance)
        return (state.accept(publication, replays: true, &effects), publication)
      }
      if let validity = step.validity { state.validity = validity }
      for waiter in step.released { state.waiters.arrive(waiter, &effects) }
      let isMisuse = accepted != nil && state.updating.contains(.current)
      return (accepted, step.answered, answer, isMisuse)
    }
    guard let outcome else { return nil }
    if outcome.isMisuse { stopForTransform() }
    effects.perform()
    if let (action, publication) = outcome.accepted { action.perform(delivering: publication) }
    // In a second turn. Whoever hasn't begun to wait yet doesn't wait at all.
    if !outcome.answered.isEmpty {
      perform { state, effects in for waiter in outcome.answered { state.waiters.arrive(waiter, &effects) } }
    }
    return outcome.answer
  }
}

private typealias PublisherOutcome<Value: Sendable, Answer> = (
  accepted: (AcceptAction, Publication<Value>)?, answered: [WaiterID], answer: Answer, isMisuse: Bool
)
