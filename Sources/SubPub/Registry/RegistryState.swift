/// Everything that a publisher knows, and every decision about it. What is to be done goes into an `AfterTurn`; only a
/// cache's operations are added to its queue at once, so that they have the order of the turns.
package struct RegistryState {
  /// The ordinal of the newest state. A publisher begins with its first, version 0.
  package var newest: UInt64 = 1
  /// Nil where nothing is replayed, and after the end.
  package var current: (any Stamped)?
  package var lanes: [Lane] = []
  /// Lanes that subscriptions share, by context.
  var shared: [SharedContext: LaneRunner] = [:]
  /// The lane of the publishing thread, which most publishers have.
  var immediate: LaneRunner?
  /// How many `ExplicitPublisher`s there have been, each with a face of its own.
  var faces: UInt32 = 0
  /// Subscriptions that are not cancelled.
  package var active = 0
  /// How many subscriptions make it worth while to look for dead ones.
  var sweepAt = 32
  var index = SubscriberIndex()
  package var waiters = WaiterTable()
  /// Whether a timer looks for dead subscribers while somebody drains.
  var isLookingForDead = false
  /// Who waits for a delivery to end.
  package var endWaits: [(subscription: Subscription, waiter: WaiterID)] = []
  /// Cancelled subscriptions with a delivery under way, and who waits for its end, in which lane.
  package var holds: [(subscription: Subscription, successor: Subscription, lane: LaneRunner)] = []
  /// Threads that hand a lane back to its context.
  var handBacks: [(lane: LaneRunner, thread: ThreadToken)] = []
  /// Threads that run a transform of `update`.
  var updating: [ThreadToken] = []
  /// Sequences that may still ask for the last state after the end.
  var sequences = 0
  package var isEnded = false
  /// The load of a manager, as long as nobody else has changed the state.
  var load: LoadUnderWay?
  /// What ended loads came to, for those who waited and haven't taken it yet.
  var results: [WaiterID: any Stamped] = [:]

  init(initial: (any Stamped)?) { current = initial }

  /// Accepts a state: gives it its version and puts it into every lane.
  @inline(__always)
  package mutating func accept(_ state: any Stamped, replays: Bool, _ after: inout AfterTurn) -> Accepted {
    if load != nil { supersedeLoad(&after) }
    newest += 1
    state.stamp(newest - 1)
    var accepted = Accepted(ordinal: newest)
    if replays {
      accepted.displaced = current
      current = state
    }
    for index in lanes.indices {
      if let window = lanes[index].append(Item(state: state, ordinal: newest), &after) {
        accepted.deliverNow(on: lanes[index].runner, window)
      }
    }
    if !waiters.isEmpty { for index in lanes.indices { tellServed(by: index, &after) } }
    return accepted
  }

  /// Does something to a lane that is still here, and what follows from it for the rest.
  package mutating func withLane<R>(
    _ runner: LaneRunner, _ after: inout AfterTurn, _ body: (inout Lane, inout AfterTurn) -> R
  )
    -> R
  {
    let before = lanes[runner.index].active
    let result = body(&lanes[runner.index], &after)
    if lanes[runner.index].active < before {
      active += lanes[runner.index].active - before
      sweepAt = min(sweepAt, 2 * active + 32)
    }
    followUp(on: runner.index, &after)
    return result
  }

  /// The same in a turn of the lane's own drain, which looks whether deliveries have ended that somebody waits for. Only
  /// there: what then goes on may be a lane of the publishing thread, and a cancel runs no subscriber's code.
  package mutating func withDrainedLane<R>(
    _ runner: LaneRunner, _ after: inout AfterTurn, _ body: (inout Lane, inout AfterTurn) -> R
  ) -> R {
    let result = withLane(runner, &after, body)
    if !endWaits.isEmpty || !holds.isEmpty { noteEnds(&after) }
    return result
  }

  private mutating func followUp(on index: Int, _ after: inout AfterTurn) {
    let runner = lanes[index].runner
    if lanes[index].isClosing, runner.signal.isIdle, lanes[index].pending.isEmpty,
      lanes[index].successors?.missed.isEmpty != false, lanes[index].active > 0
    {
      active -= lanes[index].active
      lanes[index].close(&after)
    }
    tellServed(by: index, &after)
    if lanes[index].isUnused { removeIfDisposable(runner, &after) }
  }

  private mutating func tellServed(by index: Int, _ after: inout AfterTurn) {
    guard !lanes[index].served.isEmpty else { return }
    for waiter in lanes[index].served { waiters.arrive(waiter, &after) }
    lanes[index].served = []
  }

  /// Deliveries that somebody waited for may have ended. Each is looked at once: another lane's may end meanwhile.
  private mutating func noteEnds(_ after: inout AfterTurn) {
    let (waits, held) = (endWaits, holds)
    after.release(waits.map(\.subscription) + held.flatMap { [$0.subscription, $0.successor] })
    (endWaits, holds) = ([], [])
    for wait in waits {
      if wait.subscription.gate.reading.isUnderWay {
        endWaits.append(wait)
      } else {
        waiters.arrive(wait.waiter, &after)
      }
    }
    for hold in held {
      if hold.subscription.gate.reading.isUnderWay {
        holds.append(hold)
      } else {
        release(hold.successor, in: hold.lane, &after)
      }
    }
  }

  private mutating func release(_ successor: Subscription, in lane: LaneRunner, _ after: inout AfterTurn) {
    if lane.index >= 0, lanes[lane.index].release(successor) { after.wake(lane) }
  }

  /// The lanes of the publishing thread and of the main actor are kept: they hold nothing foreign.
  private mutating func removeIfDisposable(_ runner: LaneRunner, _ after: inout AfterTurn) {
    switch runner.delivery.context {
    case .immediate, .main: if !isEnded { return }
    default: break
    }
    if immediate === runner { immediate = nil }
    if let key = SharedContext(runner.delivery.context), shared[key] === runner { shared[key] = nil }
    let last = lanes.count - 1
    lanes.swapAt(runner.index, last)
    lanes[runner.index].runner.index = runner.index
    runner.index = -1
    after.release(lanes.removeLast())
  }
}
