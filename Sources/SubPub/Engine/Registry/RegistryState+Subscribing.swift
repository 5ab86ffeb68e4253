/// The outcome of a request to subscribe.
@safe
struct SubscribeAction: ~Copyable {
  let subscription: Subscription
  /// Whether the subscription existed before and stays as it is.
  var isExisting = false
  /// The state that the subscribing thread delivers now, to the last subscription of the snapshot.
  var delivery: (replay: QueuedState, snapshot: SubscriptionList.Snapshot)?
  /// Whether there are so many subscriptions that some may belong to dead subscribers.
  var isSweepDue = false
}

extension RegistryState {
  /// Takes the current state, handles duplicates, and joins, all in one step (2.01).
  ///
  /// `replays` tells whether the subscription receives the current state.
  mutating func subscribe(
    _ request: SubscriptionRequest, at registry: PublisherRegistry, replays: Bool, _ effects: inout Effects
  ) -> SubscribeAction {
    var replaced: [Subscription] = []
    switch request.ifDuplicate {
    case .allow: break
    case .ignore:
      if let existing = duplicates(of: request, &effects).first {
        return SubscribeAction(subscription: existing, isExisting: true)
      }
    case .replace:
      replaced = duplicates(of: request, &effects)
    case .replaceSameType:
      replaced = lanes.all.flatMap(\.inTurn.subscriptions.open).filter {
        $0.interface.kind == request.interface.kind && $0.subscriberType == request.subscriberType
      }
    }
    let notices = replaced.isEmpty ? nil : listenerNotices
    for old in replaced { cancel(old, as: .cancelled, &effects) }
    // What takes its place comes in the same turn: nobody was gone.
    defer { if let notices { takeBackNotices(since: notices) } }

    let waiting = request.ifDuplicate.replaces && !leaving.isEmpty ? waitingLane(for: request, at: registry) : nil
    let lane = waiting ?? lane(for: request.context, request.buffering, at: registry)
    if request.details?.after != nil, let action = resume(request, in: lane, &effects) { return action }
    return add(request, to: lane, replays: replays, &effects)
  }

  /// Returns the open subscriptions of the same living object through the same interface.
  ///
  /// The caller holds the object. Any other object that was at its address is dead, so its last reference can't be
  /// released here.
  private mutating func duplicates(of request: SubscriptionRequest, _ effects: inout Effects) -> [Subscription] {
    let found = subscribers.find(ObjectIdentifier(request.subscriber), among: lanes, &effects)
    return found.isEmpty
      ? [] : found.filter { $0.interface.kind == request.interface.kind && $0.subscriber != nil }
  }

  /// Makes a lane of its own for an object that must not be called yet; nil if nothing is in the way.
  ///
  /// If the only lane in the way has the same context, returns that one, where deliveries follow each other anyway.
  /// Subscriptions of the same object were replaced now or earlier, or cancelled by someone, while a delivery was under
  /// way in another lane, and the object must not be called twice at once (2.06).
  @inline(never)
  private mutating func waitingLane(for request: SubscriptionRequest, at registry: PublisherRegistry) -> Lane? {
    let object = ObjectIdentifier(request.subscriber)
    let shared = lanes.shared(for: request.context, request.buffering)
    let predecessors = leaving.indices.filter {
      let old = leaving[$0].subscription
      return old.subscriberID == object && old.interface.kind == request.interface.kind && old.lane !== shared
        && old.gate.reading.isUnderWay
    }
    guard let first = predecessors.first.map({ leaving[$0].subscription.lane }) else { return nil }
    if first.pace == nil, first.context == request.context, first.policy == request.buffering,
      predecessors.allSatisfy({ leaving[$0].subscription.lane === first })
    {
      return first
    }
    let waiting = Lane(
      request.context, request.buffering, of: registry, newest: newest, behind: predecessors.count)
    lanes.add(waiting)
    for index in predecessors { leaving[index].successors.append(waiting) }
    return waiting
  }

  private mutating func add(
    _ request: SubscriptionRequest, to lane: Lane, replays: Bool, _ effects: inout Effects
  ) -> SubscribeAction {
    let replay = replays ? queuedCurrent : nil
    let action = add(request, to: lane, from: replays ? newest : newest + 1, replay: replay, &effects)
    if isFinished { closeWhenServed(lane, &effects) }
    return action
  }

  /// Adds the subscription of a client that comes back; nil if it has to begin with the current state (6.05).
  @inline(never)
  private mutating func resume(
    _ request: SubscriptionRequest, in lane: Lane, _ effects: inout Effects
  ) -> SubscribeAction? {
    guard let id = request.details?.after, let missed = states(after: id, request.buffering) else { return nil }
    request.details?.isResumed = true
    let action = add(request, to: lane, from: missed.firstVersion ?? newest + 1, replay: nil, &effects)
    lane.enqueue(missed)
    if isFinished { closeWhenServed(lane, &effects) }
    return action
  }

  @inline(__always)
  private mutating func add(
    _ request: SubscriptionRequest, to lane: Lane, from version: UInt64, replay: QueuedState?, _ effects: inout Effects
  ) -> SubscribeAction {
    let subscription = Subscription(request, in: lane, from: version)
    var action = SubscribeAction(subscription: subscription)
    subscribers.add(subscription, &effects)
    // Before the replay: a notice is foreign code, and if this thread has to run that first, any thread may deliver the
    // replay.
    if !listenerNotices.isEmpty { noteListeners(&effects) }
    // Not an optional closure: it would be called through two more functions.
    var deliver = request.deliver
    if let extras = lane.registry.extras { deliver = extras.begin(subscription, deliver, &effects) }
    if let pace = lane.pace { deliver = pace.wrapping(deliver) }
    if let snapshot = lane.join(subscription, deliver, replay: replay, newest: newest, &effects), let replay {
      action.delivery = (replay, snapshot)
    }
    if lane.policy.endsBeyondCapacity {
      laggardsAt = min(laggardsAt, subscription.firstVersion + UInt64(lane.capacity))
    }
    action.isSweepDue = subscribers.isSweepDue
    return action
  }

  /// The lane that a new subscription joins, unless it has to wait.
  private mutating func lane(
    for context: DeliveryContext, _ policy: BufferingPolicy, at registry: PublisherRegistry
  ) -> Lane {
    if let lane = lanes.shared(for: context, policy) { return lane }
    let lane = Lane(context, policy, of: registry, newest: newest)
    lanes.add(lane)
    return lane
  }

  /// The states after the one with an identifier; nil if the subscription has to begin with the current one.
  private func states(after id: PublicationID, _ buffering: BufferingPolicy) -> History.Missed? {
    var kept = record?.history
    if kept == nil, let queuedCurrent {
      kept = History(keeping: 0)
      _ = kept?.append(queuedCurrent)
    }
    let states = kept?.states(after: id)
    // It would end at once, each time that it comes back.
    if case .ending(let limit) = buffering, let states, states.count > limit { return nil }
    return states
  }
}
