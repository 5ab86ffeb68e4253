/// The outcome of a request to subscribe.
@safe
struct SubscribeAction: ~Copyable {
  let subscription: Subscription
  /// Whether the subscription existed before and stays as it is.
  var isExisting = false
  /// The state that the subscribing thread delivers now, to the last subscription of `snapshot`.
  var replay: QueuedState?
  var snapshot: SubscriptionList.Snapshot?
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
    for old in replaced { cancel(old, &effects) }

    let waiting = request.ifDuplicate.replaces && !leaving.isEmpty ? waitingLane(for: request, at: registry) : nil
    return add(request, to: waiting ?? lane(for: request.context, at: registry), replays: replays, &effects)
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
    let (object, shared) = (ObjectIdentifier(request.subscriber), lanes.shared(for: request.context))
    let predecessors = leaving.indices.filter {
      let old = leaving[$0].subscription
      return old.subscriberID == object && old.interface.kind == request.interface.kind && old.lane !== shared
        && old.gate.reading.isUnderWay
    }
    guard let first = predecessors.first.map({ leaving[$0].subscription.lane }) else { return nil }
    if first.context == request.context, predecessors.allSatisfy({ leaving[$0].subscription.lane === first }) {
      return first
    }
    let waiting = Lane(
      request.context, of: registry, newest: newest, isShared: false, isClosing: isEnded, behind: predecessors.count)
    lanes.add(waiting)
    for index in predecessors { leaving[index].successors.append(waiting) }
    return waiting
  }

  private mutating func add(
    _ request: SubscriptionRequest, to lane: Lane, replays: Bool, _ effects: inout Effects
  ) -> SubscribeAction {
    let subscription = Subscription(request, in: lane, from: replays ? newest : newest + 1)
    let replay = replays ? current.map { QueuedState($0, version: newest) } : nil
    var action = SubscribeAction(subscription: subscription)
    subscribers.count(subscription)
    // Before the replay: if this thread runs foreign code first, any thread may deliver it.
    if !listenerNotices.isEmpty { noteListeners(&effects) }
    if let snapshot = lane.join(
      subscription, request.deliver, replay: replay, newest: newest, &effects)
    {
      action.replay = replay
      action.snapshot = snapshot
    }
    subscribers.index(subscription, &effects)
    // Only a type that wraps a publisher without holding it can ask for that.
    if isEnded { finishClosing(lane, &effects) }
    action.isSweepDue = subscribers.isSweepDue
    return action
  }

  private mutating func lane(for context: DeliveryContext, at registry: PublisherRegistry) -> Lane {
    if let lane = lanes.shared(for: context) { return lane }
    let lane = Lane(context, of: registry, newest: newest, isClosing: isEnded)
    lanes.add(lane)
    return lane
  }
}

extension RegistryState {
  /// Closes the subscription's gate and removes it from its lane; returns nil if it has already ended.
  @discardableResult
  mutating func cancel(_ subscription: Subscription, _ effects: inout Effects) -> DeliveryGate.Reading? {
    guard let found = subscription.gate.close(at: newest) else { return nil }
    if found.isUnderWay { leaving.append(LeavingSubscription(subscription: subscription)) }
    withLane(subscription.lane, &effects) { subscription.lane.cancel(subscription, found: found, &$0) }
    return found
  }

  /// Ends the publisher: pending states are delivered, and then everything ends (3.06).
  mutating func end(_ effects: inout Effects) {
    isEnded = true
    if !listenerNotices.isEmpty { noteListeners(&effects) }
    dropLastState(&effects)
    subscribers.clear(&effects)
    for lane in lanes.all {
      lane.inTurn.isClosing = true
      finishClosing(lane, &effects)
    }
  }

  /// Closes a lane of a publisher that has ended, now or once everything is delivered.
  private mutating func finishClosing(_ lane: Lane, _ effects: inout Effects) {
    // A serving thread that could end without a turn has to take one.
    _ = lane.phase.request(.more)
    checkCompletion(of: lane, &effects)
  }

  /// Drops the last state unless a sequence can still ask for it.
  mutating func dropLastState(_ effects: inout Effects) {
    guard isEnded, sequenceCount == 0, let last = current.take() else { return }
    effects.release(last)
  }

  /// Ends a lane whose context is gone.
  mutating func end(_ lane: Lane, _ effects: inout Effects) {
    guard lane.inTurn.index >= 0 else { return }
    withLane(lane, &effects) { effects in
      lane.close(&effects)
      lane.phase.enter(.idle)
    }
  }
}
