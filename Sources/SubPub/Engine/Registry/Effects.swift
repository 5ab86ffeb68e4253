/// The effects that a turn has decided on but mustn't cause itself: everything that may run foreign code.
///
/// The caller ends the turn, and then calls `perform()`. Discarded objects are released when this value is destroyed
/// (1.04).
struct Effects: ~Copyable {
  /// Whether `perform()` runs foreign code, which may block, or use the same publisher.
  private(set) var runsForeignCode = false
  // Most turns leave at most one of each. Storage for more is allocated only when needed.
  private var firstWake: Lane?
  private var firstObject: AnyObject?
  private var firstClosure: Deliver?
  private var overflow: Overflow?

  private final class Overflow {
    /// What has to report events.
    var reporter: EventReporter?
    var wakes: [Lane] = []
    /// Lanes whose executors are foreign code.
    var foreignWakes: [Lane] = []
    /// Lanes of the publishing thread.
    var immediate: [Lane] = []
    /// Waiters one of whose events has happened in this turn, and that the registry still has to look at.
    var arrived: [WaiterID] = []
    var resumes: [SuspendedTask] = []
    var calls: [@Sendable () -> Void] = []
    var leftovers: [Any] = []
  }

  /// Wakes a lane on its context.
  mutating func wake(_ lane: Lane) {
    let isForeign = lane.context.isForeign
    if isForeign { runsForeignCode = true }
    if lane.isImmediate {
      // A lane that isn't shared has had to wait, and is served after the others (2.07).
      needed.immediate.insert(lane, at: lane.isShared ? 0 : needed.immediate.count)
    } else if firstWake == nil {
      firstWake = lane
    } else if isForeign {
      needed.foreignWakes.append(lane)
    } else {
      needed.wakes.append(lane)
    }
  }

  /// Has events reported, before everything else.
  mutating func report(_ reporter: EventReporter) {
    needed.reporter = reporter
    runsForeignCode = true
  }

  /// Notes that one of a waiter's events has happened; see `RegistryState.resumeArrived`.
  mutating func arrive(_ waiter: WaiterID) {
    needed.arrived.append(waiter)
    // Its task may be resumed.
    runsForeignCode = true
  }

  /// Returns the waiters one of whose events has happened since the last call.
  mutating func takeArrived() -> [WaiterID] {
    guard let overflow, !overflow.arrived.isEmpty else { return [] }
    defer { overflow.arrived = [] }
    return overflow.arrived
  }

  mutating func resume(_ task: SuspendedTask?) {
    guard let task else { return }
    needed.resumes.append(task)
    runsForeignCode = true
  }

  mutating func call(_ body: @escaping @Sendable () -> Void) {
    needed.calls.append(body)
    runsForeignCode = true
  }

  /// Releases a state, because the `deinit` of its payload is foreign code.
  @inline(__always) mutating func release(_ state: any BoxedPublication) { release(state as AnyObject) }

  /// Releases a subscription, which may be the last object to hold its lane's executor.
  mutating func release(_ subscription: Subscription) { release(subscription as AnyObject) }

  @inline(__always)
  private mutating func release(_ object: AnyObject) {
    if firstObject == nil {
      firstObject = object
    } else if firstObject !== object {
      // Several lanes often drop the same state, one after the other: it needs to be released only once.
      needed.leftovers.append(object)
    }
  }

  /// Releases a closure and everything that it captures.
  mutating func release(_ closure: @escaping Deliver) {
    if firstClosure == nil { firstClosure = closure } else { needed.leftovers.append(closure) }
  }

  /// Releases a collection of any of these.
  mutating func releaseAll(in collection: Any) { needed.leftovers.append(collection) }

  /// Releases everything now; outside the turn.
  mutating func releaseNow() {
    (firstObject, firstClosure) = (nil, nil)
    overflow?.leftovers = []
  }

  /// Wakes lanes, resumes tasks, and makes calls; outside the turn.
  ///
  /// Except for reports of events, foreign code comes after everything that it might hold up. Then `deliver` makes the
  /// publishing thread's own delivery. Its other lanes come last, because their subscribers are foreign code as well;
  /// meanwhile, another thread may serve them.
  @inline(__always)
  func perform(delivering deliver: () -> Void = {}, immediately serve: (Lane) -> Void = { $0.wake() }) {
    if let overflow { perform(overflow) } else { firstWake?.wake() }
    deliver()
    if let overflow { for lane in overflow.immediate { serve(lane) } }
  }

  @inline(never)
  private func perform(_ overflow: Overflow) {
    overflow.reporter?.report()
    let isFirstForeign = firstWake?.context.isForeign ?? false
    if !isFirstForeign { firstWake?.wake() }
    for lane in overflow.wakes { lane.wake() }
    for task in overflow.resumes { task.resume() }
    if isFirstForeign { firstWake?.wake() }
    for lane in overflow.foreignWakes { lane.wake() }
    for call in overflow.calls { call() }
  }

  private var needed: Overflow {
    mutating get {
      if let overflow { return overflow }
      let made = Overflow()
      overflow = made
      return made
    }
  }
}
