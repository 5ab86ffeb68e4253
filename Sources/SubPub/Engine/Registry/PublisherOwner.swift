/// Whoever decides about a publisher's states, and is told what others do there.
///
/// The publisher's turns guard the owner's state as well, so it needs no lock. In them it only decides: what remains to
/// be done goes into `Effects`. Everybody else is free to publish; the owner is only told of it.
protocol PublisherOwner: AnyObject, Sendable {
  /// Somebody else publishes a state, in this turn.
  ///
  /// Not called for `republish()`, which changes nothing. Returns the tasks that don't wait any longer.
  func othersPublish(_ effects: inout Effects) -> [WaiterID]

  /// The publisher takes no further states from this turn on (3.09).
  ///
  /// Returns the tasks that don't wait any longer.
  func publisherFinishes(_ effects: inout Effects) -> [WaiterID]

  /// How the load or stream is getting on.
  var progress: OwnerProgress? { get }

  /// The state that transitions by others start from; nil if it is the current one.
  func base(insteadOf current: any BoxedPublication) -> (any BoxedPublication)?

  /// What transforms of the owner are called in a message to users; nil if it has none.
  var transforms: String? { get }

  /// Why a task must not wait for the publisher's next state; nil if it may.
  func reasonNotToWait(for source: PublisherID, in task: TaskToken) -> String?
}

/// What an owner has decided in a turn.
struct PublisherStep<Value: Sendable> {
  /// What is published.
  var published: Publication<Value>?
  /// What has happened to the data at hand; nil if nothing has.
  var validity: DataValidity?
  /// Tasks to resume at once.
  var released: [WaiterID] = []
  /// Tasks to resume once this thread has delivered the state.
  var answered: [WaiterID] = []
}

/// How a load is getting on, for snapshots.
struct OwnerProgress {
  var isLoading: Bool
  /// The number of the present attempt; 0 if there is none.
  var attempt = 0
  /// The error of the load's last attempt that has failed.
  var lastFailure: (any Error)?
}

extension PublisherOwner {
  var transforms: String? { nil }
  var progress: OwnerProgress? { nil }
  func base(insteadOf current: any BoxedPublication) -> (any BoxedPublication)? { nil }
  func reasonNotToWait(for source: PublisherID, in task: TaskToken) -> String? { nil }
}

extension RegistryState {
  /// The newest state; after the release, when there is none, an unknown one.
  func current<Value: Sendable>(at source: PublisherID) -> Publication<Value> {
    current.map { .from($0) } ?? Publication(.unknown, source: source, provenance: nil)
  }
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
  /// The owner is asked even after the publisher's end, because other things depend on it, such as its cache. A state
  /// that it publishes then is dropped, and leaves the data as it is (3.09). After the release it finds an unknown
  /// state. Stops the program if the owner publishes while this thread is running a transform, which would run again.
  nonisolated func decide<Value: Sendable>(
    _ body: (_ current: Publication<Value>, _ state: inout RegistryState, inout Effects) -> PublisherStep<Value>
  ) {
    let carried = captureContext()
    var effects = Effects()
    var step = PublisherStep<Value>()
    var (action, isMisuse) = (AcceptAction?.none, false)
    turn { state in
      step = body(state.current(at: source), &state, &effects)
      let isDropped = state.isFinished && step.published != nil
      if let publication = step.published, !isDropped {
        if let carried { publication.carry(carried) }
        action = state.accept(publication, &effects)
        isMisuse = state.isInTransform
      }
      if let validity = step.validity, !isDropped { state.validity = validity }
      for waiter in step.released { effects.resume(state.waiters.arrive(waiter)) }
    }
    if isMisuse { stopForTransform() }
    effects.perform(delivering: {
      if let action, let publication = step.published { action.deliver(publication) }
    })
    // In a second turn. Whoever hasn't begun to wait yet doesn't wait at all.
    if !step.answered.isEmpty {
      perform { state, effects in for waiter in step.answered { effects.resume(state.waiters.arrive(waiter)) } }
    }
  }
}
