/// The whole state of a publisher, and every decision about it.
///
/// Decides only, inside turns: everything that remains to be done goes into `Effects`.
package struct RegistryState {
  /// The newest version.
  var newest: UInt64 = 0
  /// Whether new subscribers receive the current state; calls of a multicast delegate aren't replayed.
  let replays: Bool
  /// The newest state; nil if nothing is replayed, or after the release, once no sequence can ask for it, and no lane
  /// has to deliver it.
  var current: (any BoxedPublication)?
  var life = Life.open
  /// The number of sequences that may still ask for the last state after the end.
  var sequenceCount = 0
  /// How many of them go on after an earlier publication, and may ask for the history.
  var resumingCount = 0

  /// What is done with each publication besides delivering it; nil for most publishers.
  let record: PublicationRecord?

  package var lanes = LaneTable()
  /// The open subscriptions, counted, and found by their objects.
  var subscribers = SubscriberIndex()

  /// The first version at which a subscription may have fallen behind (2.11).
  var laggardsAt = UInt64.max

  var waiters = Waiters()
  /// Cancelled subscriptions with a delivery under way, and whoever waits for its end.
  var leaving: [LeavingSubscription] = []
  /// Whether a timer looks for dead subscribers while a `drain()` or an `ended()` waits.
  var isLookingForDead = false

  /// Threads that are running the transform of an update.
  var updating: [ThreadToken] = []
  /// What has happened to the present data since it was published; only owners change it.
  var validity = DataValidity()
  /// Whoever decides about the publisher's states; nil for most publishers.
  var owner: (any PublisherOwner)?
  /// Those who are told whether anybody listens; none for most publishers.
  var listenerNotices: [ObjectIdentifier: ListenerNotices] = [:]

  enum Life { case open, finished, released }

  /// Whether the publisher takes no further states, because it was finished or released.
  @inline(__always) var isFinished: Bool { life != .open }
  var isReleased: Bool { life == .released }

  init(initial: (any BoxedPublication)?, _ extras: PublisherExtras? = nil) {
    (current, replays) = (initial, initial != nil)
    record = extras.flatMap { PublicationRecord($0, initial: initial) }
  }
}

/// The work that accepting a state leaves to its caller.
@safe
struct AcceptAction {
  let version: UInt64
  /// The previous state, to be released outside the turn.
  var displaced: (any BoxedPublication)?
  /// The lane that the publishing thread serves now, not retained, and its subscriptions.
  ///
  /// A lane stays at its registry while it is served, and the caller holds the registry.
  private var delivery: (lane: Unmanaged<Lane>, snapshot: SubscriptionList.Snapshot)?

  init(version: UInt64) { self.version = version }

  /// Has the publishing thread deliver the state to this lane, the only one of its kind, after the turn.
  mutating func willDeliver(on lane: Lane, to snapshot: SubscriptionList.Snapshot) {
    unsafe delivery = (.passUnretained(lane), snapshot)
  }

  /// Delivers the state if that is up to the publishing thread.
  @inline(__always)
  func deliver(_ state: any BoxedPublication) {
    guard let (lane, snapshot) = unsafe delivery else { return }
    unsafe lane._withUnsafeGuaranteedRef {
      $0.deliverNow(QueuedState(state, version: version), to: snapshot, from: 0)
    }
  }
}

extension RegistryState {
  var queuedCurrent: QueuedState? { current.map { QueuedState($0, version: newest) } }

  /// Accepts a state that the publisher's owner hasn't made.
  ///
  /// `keepsData` tells whether its data is the same as before.
  @inline(__always)
  mutating func acceptFromOthers(
    _ state: any BoxedPublication, keepsData: Bool = false, _ effects: inout Effects
  ) -> AcceptAction {
    if owner != nil { tellOwner(keepsData: keepsData, &effects) }
    return accept(state, &effects)
  }

  @inline(never)
  private mutating func tellOwner(keepsData: Bool, _ effects: inout Effects) {
    guard let owner else { return }
    for waiter in owner.othersPublish(&effects) { effects.resume(waiters.arrive(waiter)) }
    if !keepsData { validity = DataValidity() }
  }

  /// Accepts a state: sets its version and puts it into every lane.
  @inline(__always)
  mutating func accept(_ state: any BoxedPublication, _ effects: inout Effects) -> AcceptAction {
    newest += 1
    state.stamp(newest)
    var action = AcceptAction(version: newest)
    if replays {
      action.displaced = current
      current = state
    }
    if let record { note(state, in: record, &effects) }
    // Before the lanes get the state: then no subscription that stays has more pending than allowed. Ending one may
    // also leave foreign code to run, which `beginDelivering` has to know of.
    if newest >= laggardsAt { endLaggards(before: state, &effects) }
    // Not retained, because the lanes stay here for this turn.
    for index in lanes.woken.indices {
      unsafe put(state, into: .passUnretained(lanes.woken[index]), &action, &effects)
    }
    if let lane = unsafe lanes.atOnce.map(Unmanaged.passUnretained) {
      unsafe put(state, into: lane, &action, &effects)
    }
    if !waiters.isEmpty { resumeArrived(&effects) }
    return action
  }

  @inline(never)
  private func note(_ state: any BoxedPublication, in record: PublicationRecord, _ effects: inout Effects) {
    if let reporter = record.reporter, reporter.add(.published(state)) { effects.report(reporter) }
    // What was reset is forgotten (5.02).
    if state.isUnknown, let old = record.history?.clear() { effects.releaseAll(in: old) }
    if let oldest = record.history?.append(QueuedState(state, version: newest)) { effects.release(oldest.state) }
  }

  @inline(__always)
  private mutating func put(
    _ state: any BoxedPublication, into lane: Unmanaged<Lane>, _ action: inout AcceptAction, _ effects: inout Effects
  ) {
    unsafe lane._withUnsafeGuaranteedRef { lane in
      if let snapshot = lane.append(QueuedState(state, version: newest), &effects) {
        action.willDeliver(on: lane, to: snapshot)
      }
    }
  }

  /// Changes a lane, if it still exists, and then updates the publisher's state accordingly.
  mutating func withLane<R>(
    ifPresent lane: Lane, _ effects: inout Effects, _ body: (inout Effects) -> R
  ) -> R? {
    lane.inTurn.isInTable ? withLane(lane, &effects, body) : nil
  }

  /// Changes a lane that still exists, and then updates the publisher's state accordingly.
  mutating func withLane<R>(_ lane: Lane, _ effects: inout Effects, _ body: (inout Effects) -> R) -> R {
    if lane.servesCurrent { lane.setNewest(newest) }
    let result = body(&effects)
    if noteDepartures(from: lane), !listenerNotices.isEmpty { noteListeners(&effects) }
    settle(lane, &effects)
    // It may have been the last one that had to deliver it.
    if isReleased, lane.servesCurrent { dropLastState(&effects) }
    return result
  }

  /// Closes a lane that has delivered everything if the publisher has finished, removes one that isn't used any more,
  /// and resumes who has waited for that.
  mutating func settle(_ lane: Lane, _ effects: inout Effects) {
    if isFinished, lane.phase.isIdle, !lane.inTurn.isPending, lane.inTurn.openCount > 0 {
      lane.close(as: .publisherEnded, &effects)
      _ = noteDepartures(from: lane)
    }
    resumeArrived(&effects)
    if lane.isUnused { removeIfDisposable(lane, &effects) }
  }

  /// Subtracts the subscriptions that have left a lane in this turn; returns whether there were any.
  private mutating func noteDepartures(from lane: Lane) -> Bool {
    let (count, parts) = lane.inTurn.departed
    guard count > 0 else { return false }
    lane.inTurn.departed = (0, 0)
    subscribers.leave(count, ofWhichParts: parts)
    return true
  }

  /// Resumes the tasks that have waited for what has happened in this turn.
  @inline(__always)
  mutating func resumeArrived(_ effects: inout Effects) {
    for waiter in effects.takeArrived() { effects.resume(waiters.arrive(waiter)) }
  }

  /// Removes an unused lane, unless it is the publishing thread's or the main actor's with a common policy.
  ///
  /// Those stay until the publisher finishes, because they hold nothing foreign, and make subscribing faster.
  private mutating func removeIfDisposable(_ lane: Lane, _ effects: inout Effects) {
    switch lane.context.kind {
    case .immediate, .main: if !isFinished, lane.isShared, lane.policy.isCommon { return }
    default: break
    }
    lanes.remove(lane)
    effects.releaseAll(in: lane)
    if let pace = lane.pace { effects.call { pace.end() } }
  }
}
