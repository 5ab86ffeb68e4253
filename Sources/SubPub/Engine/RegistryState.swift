/// The whole state of a publisher, and every decision about it.
///
/// Decides only, inside turns: everything that remains to be done goes into `Effects`.
package struct RegistryState {
  /// The newest version.
  var newest: UInt64 = 0
  /// The newest state; nil if nothing is replayed, or after the end, once no sequence can ask for it.
  var current: (any BoxedPublication)?
  var isEnded = false
  /// The number of sequences that may still ask for the last state after the end.
  var sequenceCount = 0

  /// All lanes; that of the publishing thread is last, because it matters to it which effects the others have.
  package var lanes: [LaneState] = []
  /// The lanes that subscriptions share, by context.
  var sharedLanes: [DeliveryContext: Lane] = [:]
  /// The lane of the publishing thread, which most publishers have.
  var immediateLane: Lane?
  /// The number of open subscriptions.
  var openCount = 0
  /// How many of them belong to a `DirectorySubscription`.
  var partCount = 0
  /// The number of subscriptions above which it is worth looking for dead ones.
  var sweepAt = 32
  var index = SubscriberIndex()
  /// How many numbers `ExplicitPublisher`s have received.
  var interfaceCount: UInt32 = 0

  var waiters = Waiters()
  /// Tasks that wait for the end of a delivery.
  var endWaits: [(subscription: Subscription, waiter: WaiterID)] = []
  /// Cancelled subscriptions with a delivery under way, and the successors that wait for its end.
  var predecessors: [(subscription: Subscription, successor: Subscription)] = []
  /// Whether a timer looks for dead subscribers while a `drain()` waits.
  var isLookingForDead = false

  /// Threads that are running the transform of an update.
  var updating: [ThreadToken] = [] { didSet { noteCare() } }
  /// What has happened to the present data since it was published; only owners change it.
  var validity = DataValidity()
  /// Whoever decides about the publisher's states; nil for most publishers.
  var owner: (any PublisherOwner)? { didSet { noteCare() } }
  /// Whether there is an owner or such a thread, so that a publish has one place to look at.
  private(set) var needsCare = false
  /// Those who are told whether anybody listens; none for most publishers.
  var listenerNotices: [ObjectIdentifier: ListenerNotices] = [:]

  init(initial: (any BoxedPublication)?) { current = initial }

  private mutating func noteCare() { needsCare = owner != nil || !updating.isEmpty }
}

/// The work that accepting a state leaves to its caller.
@safe
struct AcceptAction {
  let version: UInt64
  /// The previous state, to be released outside the turn.
  var displaced: (any BoxedPublication)?
  /// The lane that the publishing thread serves now, not retained.
  ///
  /// A lane stays at its registry while it is served, and the caller holds the registry.
  private var lane: Unmanaged<Lane>?
  private var snapshot: SubscriptionList.Snapshot?

  init(version: UInt64) { self.version = version }

  /// Has the publishing thread deliver the state to this lane, the only one of its kind.
  mutating func deliverNow(on lane: Lane, to snapshot: SubscriptionList.Snapshot) {
    unsafe self.lane = .passUnretained(lane)
    self.snapshot = snapshot
  }

  /// Delivers the state if that is up to the publishing thread.
  @inline(__always)
  func perform(delivering state: any BoxedPublication) {
    guard let lane = unsafe lane, let snapshot else { return }
    unsafe lane._withUnsafeGuaranteedRef {
      $0.deliverNow(QueuedState(state, version: version), to: snapshot, from: 0)
    }
  }
}

extension RegistryState {
  /// Accepts a state that the publisher's owner hasn't made.
  ///
  /// `keepsData` tells whether its data is the same as before.
  @inline(__always)
  mutating func acceptFromOthers(
    _ state: any BoxedPublication, replays: Bool, keepsData: Bool = false, _ effects: inout Effects
  ) -> AcceptAction {
    if needsCare { tellOwner(keepsData: keepsData, &effects) }
    return accept(state, replays: replays, &effects)
  }

  @inline(never)
  private mutating func tellOwner(keepsData: Bool, _ effects: inout Effects) {
    guard let owner else { return }
    for waiter in owner.othersPublish(&effects) { waiters.arrive(waiter, &effects) }
    if !keepsData { validity = DataValidity() }
  }

  /// Accepts a state: sets its version and puts it into every lane.
  @inline(__always)
  mutating func accept(_ state: any BoxedPublication, replays: Bool, _ effects: inout Effects) -> AcceptAction {
    newest += 1
    state.stamp(newest)
    var action = AcceptAction(version: newest)
    if replays {
      action.displaced = current
      current = state
    }
    for index in lanes.indices {
      if let snapshot = lanes[index].append(QueuedState(state, version: newest), &effects) {
        action.deliverNow(on: lanes[index].lane, to: snapshot)
      }
      if !waiters.isEmpty { resumeDrained(by: index, &effects) }
    }
    return action
  }

  /// Changes a lane that still exists, and then updates the publisher's state accordingly.
  mutating func withLane<R>(
    _ lane: Lane, _ effects: inout Effects, _ body: (inout LaneState, inout Effects) -> R
  ) -> R {
    let before = lanes[lane.index].openCount
    let result = body(&lanes[lane.index], &effects)
    let left = before - lanes[lane.index].openCount
    if left > 0 {
      openCount -= left
      partCount -= lanes[lane.index].takeDepartedParts()
      sweepAt = min(sweepAt, 2 * openCount + 32)
      if !listenerNotices.isEmpty { noteListeners(&effects) }
    }
    checkCompletion(of: lane, &effects)
    return result
  }

  /// Changes a lane in a turn of its serving thread, which also resumes waiters for ended deliveries.
  ///
  /// A cancel doesn't resume them: it could wake a lane of the publishing thread, and so run subscribers' code.
  mutating func withServedLane<R>(
    _ lane: Lane, _ effects: inout Effects, _ body: (inout LaneState, inout Effects) -> R
  ) -> R {
    let result = withLane(lane, &effects, body)
    if !endWaits.isEmpty || !predecessors.isEmpty { checkEndedDeliveries(&effects) }
    return result
  }

  private mutating func checkCompletion(of lane: Lane, _ effects: inout Effects) {
    let index = lane.index
    if lanes[index].isClosing, lane.phase.isIdle, lanes[index].pending.isEmpty,
      lanes[index].successors?.missed.isEmpty != false, lanes[index].openCount > 0
    {
      openCount -= lanes[index].openCount
      lanes[index].close(&effects)
    }
    resumeDrained(by: index, &effects)
    if lanes[index].isUnused { removeIfDisposable(lane, &effects) }
  }

  @inline(__always)
  private mutating func resumeDrained(by index: Int, _ effects: inout Effects) {
    guard !lanes[index].drained.isEmpty else { return }
    for waiter in lanes[index].drained { waiters.arrive(waiter, &effects) }
    lanes[index].drained = []
  }

  /// Checks whether deliveries have ended for which something is waiting.
  ///
  /// Checks each one once, because another lane's delivery may end in the meantime.
  private mutating func checkEndedDeliveries(_ effects: inout Effects) {
    let (waits, predecessors) = (endWaits, predecessors)
    effects.releaseAll(in: waits.map(\.subscription) + predecessors.flatMap { [$0.subscription, $0.successor] })
    (endWaits, self.predecessors) = ([], [])
    for wait in waits {
      if wait.subscription.gate.reading.isUnderWay {
        endWaits.append(wait)
      } else {
        waiters.arrive(wait.waiter, &effects)
      }
    }
    for predecessor in predecessors {
      if predecessor.subscription.gate.reading.isUnderWay {
        self.predecessors.append(predecessor)
      } else {
        countDown(predecessor.successor, &effects)
      }
    }
  }

  private mutating func countDown(_ successor: Subscription, _ effects: inout Effects) {
    let lane = successor.lane
    if lane.index >= 0, lanes[lane.index].countDown(successor) { effects.wake(lane) }
  }

  /// Adds a lane in front of the publishing thread's.
  mutating func add(_ lane: Lane) {
    lanes.append(LaneState(lane))
    lanes[lane.index].isClosing = isEnded
    if let immediateLane { swapLanes(immediateLane.index, lane.index) }
  }

  private mutating func swapLanes(_ first: Int, _ second: Int) {
    lanes.swapAt(first, second)
    lanes[first].lane.index = first
    lanes[second].lane.index = second
  }

  /// Removes an unused lane, unless it is the publishing thread's or the main actor's.
  ///
  /// Those two stay, because they hold nothing foreign.
  private mutating func removeIfDisposable(_ lane: Lane, _ effects: inout Effects) {
    switch lane.context.kind {
    case .immediate, .main: if !isEnded { return }
    default: break
    }
    if lane.context.isLookedUp, sharedLanes[lane.context] === lane { sharedLanes[lane.context] = nil }
    if immediateLane === lane {
      immediateLane = nil
    } else {
      swapLanes(lane.index, lanes.count - 1)
      if let immediateLane { swapLanes(immediateLane.index, lanes.count - 2) }
    }
    lane.index = -1
    effects.releaseAll(in: lanes.removeLast())
  }
}
