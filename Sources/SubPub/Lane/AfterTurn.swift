/// What a turn decided and may not do itself: everything that is, or may run, foreign code (rule 1.04).
///
/// The shell ends the turn and then calls `act()`; what is left to release goes with the value.
package struct AfterTurn {
  // Most turns leave at most one of each; the rest is made when it is needed.
  package private(set) var firstWake: LaneRunner?
  package private(set) var firstObject: AnyObject?
  package private(set) var firstCallback: Deliver?
  package private(set) var rest: Rest?

  package final class Rest {
    package fileprivate(set) var wakes: [LaneRunner] = []
    package fileprivate(set) var resumes: [Wakeup] = []
    fileprivate var calls: [@Sendable () -> Void] = []
    package fileprivate(set) var leftovers: [Any] = []
  }

  package init() {}

  /// A lane to be woken on its context.
  mutating func wake(_ lane: LaneRunner) {
    if firstWake == nil { firstWake = lane } else { needed.wakes.append(lane) }
  }

  /// A task that waits.
  mutating func resume(_ wakeup: Wakeup) { needed.resumes.append(wakeup) }

  /// Anything else.
  mutating func call(_ body: @escaping @Sendable () -> Void) { needed.calls.append(body) }

  /// A state to let go of: its payload's `deinit` is foreign.
  mutating func release(_ state: any Stamped) { release(state as AnyObject) }

  /// A subscription to let go of: it may be the last to hold its lane's executor.
  mutating func release(_ subscription: Subscription) { release(subscription as AnyObject) }

  private mutating func release(_ object: AnyObject) {
    if firstObject == nil { firstObject = object } else { needed.leftovers.append(object) }
  }

  /// A closure to let go of, with what it captures.
  mutating func release(_ callback: @escaping Deliver) {
    if firstCallback == nil { firstCallback = callback } else { needed.leftovers.append(callback) }
  }

  /// Subscriptions to let go of: one may be the last to hold its lane's executor.
  mutating func release(_ subscriptions: [Subscription]) { needed.leftovers.append(subscriptions) }

  /// A collection of such.
  mutating func releaseAll(in collection: Any) { needed.leftovers.append(collection) }

  /// A lane to let go of, with its executor or queue.
  mutating func release(_ lane: Lane) { needed.leftovers.append(lane) }

  /// Lets go of everything now. Outside the turn.
  mutating func letGo() {
    (firstObject, firstCallback) = (nil, nil)
    rest?.leftovers = []
  }

  /// Calls, wakes and resumes. Outside the turn.
  @inline(__always)
  package func act() {
    if let rest { for wakeup in rest.resumes { wakeup.resume() } }
    firstWake?.wake()
    if let rest {
      for lane in rest.wakes { lane.wake() }
      for call in rest.calls { call() }
    }
  }

  private var needed: Rest {
    mutating get {
      if let rest { return rest }
      let made = Rest()
      rest = made
      return made
    }
  }
}
