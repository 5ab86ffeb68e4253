/// Is told when a publisher's first listener arrives, and when the last one has left an active run (5.21).
///
/// A protocol, because the driver is generic and the engine isn't. A listener is an open subscription of any kind.
/// Called outside every turn, on the thread that has subscribed, cancelled, or found a subscriber dead.
protocol ListenerWatcher: AnyObject, Sendable {
  /// The first listener has arrived while no run was active.
  func firstListenerArrived()

  /// The last listener has left an active run; `departure` identifies that moment.
  func lastListenerLeft(_ departure: LoadTask)
}

/// Why a run is to begin.
enum RunReason {
  /// A first listener has arrived, and no run has begun since.
  case firstListener
  /// Somebody has asked for one; with a number, only if no more runs than that have begun.
  case request(ifRunsAre: Int?)
}

/// What a registry knows about the stream of its `StreamManager`.
///
/// Each run of the stream is an `ActiveLoad`, so whatever supersedes a load ends a run (5.04).
struct ListenerWatch {
  let watcher: any ListenerWatcher
  /// Whether the first listener has arrived and no run has begun since.
  var isRunDue = false
  /// How many runs have begun.
  var runs = 0
  /// Whether the task of a run is still executing, even if another run is active by now.
  var isTaskExecuting = false
  /// The task that follows the sequence; nil between two of them.
  var task: TaskToken?
  /// What ends the active run, unless a listener arrives first; nil while somebody listens.
  var departure: LoadTask?

  init(_ watcher: any ListenerWatcher) { self.watcher = watcher }
}

/// Identifies a task while it runs.
struct TaskToken: Equatable {
  private let hash: Int

  /// The current task; nil outside of tasks.
  static var current: TaskToken? {
    unsafe withUnsafeCurrentTask { task in unsafe task.map { unsafe TaskToken(hash: $0.hashValue) } }
  }
}

/// Arrivals and departures, noticed in the turns in which they happen.
extension RegistryState {
  @inline(never)
  mutating func noteFirstListener(_ effects: inout Effects) {
    guard let watcher = listeners?.watcher else { return }
    if let departure = listeners?.departure.take() { effects.call { departure.cancel() } }
    guard loading.active == nil else { return }
    listeners?.isRunDue = true
    effects.call { watcher.firstListenerArrived() }
  }

  @inline(never)
  mutating func noteLastDeparture(_ effects: inout Effects) {
    guard let watcher = listeners?.watcher else { return }
    listeners?.isRunDue = false
    guard loading.active != nil else { return }
    let departure = LoadTask()
    listeners?.departure = departure
    effects.call { watcher.lastListenerLeft(departure) }
  }
}

/// The life of a run, each step in one turn with the publisher's state.
extension RegistryState {
  /// The state from which a run can begin for this reason; nil if nobody listens, or one is active.
  func stateBeforeRun(_ reason: RunReason) -> (any BoxedPublication)? {
    guard let listeners, openCount > 0, loading.active == nil else { return nil }
    switch reason {
    case .firstListener: guard listeners.isRunDue else { return nil }
    case .request(let runs): guard runs == nil || runs == listeners.runs else { return nil }
    }
    return managed?.current
  }

  /// The outcome of a request to begin a run.
  enum BeginRunAction {
    /// The run has begun; if `startsTask` is false, its task starts when that of the previous run has ended.
    case began(LoadAction, startsTask: Bool)
    /// Something has changed in the meantime.
    case superseded
  }

  /// Begins a run if the state is still the same; `before` is the state to return to.
  mutating func beginRun(
    _ run: LoadTask, publishing state: any BoxedPublication, before: any BoxedPublication, ifCurrentIs old: AnyObject,
    _ reason: RunReason, _ effects: inout Effects
  ) -> BeginRunAction {
    guard let current = stateBeforeRun(reason), current === old else { return .superseded }
    let action = publish(state, keepsData: true, &effects)
    loading.isInUse = true
    loading.active = ActiveLoad(run, .whole, replacesData: true, before: before)
    listeners?.isRunDue = false
    listeners?.runs += 1
    let startsTask = listeners?.isTaskExecuting == false
    listeners?.isTaskExecuting = true
    return .began(action, startsTask: startsTask)
  }

  /// Publishes a state of a run, and sets the state to return to if the run ends now; returns nil if it has ended.
  mutating func publish(
    _ state: any BoxedPublication, within run: LoadTask, before: (any BoxedPublication)?, _ effects: inout Effects
  ) -> LoadAction? {
    guard let active = loading.active, active.task === run else { return nil }
    if let obsolete = active.before { effects.release(obsolete) }
    loading.active?.before = before
    return LoadAction(accepted: acceptKeepingLoad(state, keepsData: false, &effects), state: state)
  }

  /// Publishes the last state of a run, and ends it in the same step; returns nil if it has ended before.
  mutating func end(
    _ run: LoadTask, with state: any BoxedPublication, _ effects: inout Effects
  ) -> LoadAction? {
    guard loading.active?.task === run, endLoad(&effects) != nil else { return nil }
    return publish(state, keepsData: true, &effects)
  }

  /// Ends the active run, unless somebody has come back since the departure.
  mutating func endRun(after departure: LoadTask, _ effects: inout Effects) -> LoadAction? {
    guard listeners?.departure === departure else { return nil }
    listeners?.departure = nil
    return rollBackLoad(&effects)
  }

  /// Records that the task of a run has ended, and ends the run if it is still active.
  ///
  /// Returns the run that was waiting for that, if any.
  mutating func endTask(of run: LoadTask, _ effects: inout Effects) -> (action: LoadAction?, next: LoadTask?) {
    let action = loading.active?.task === run ? rollBackLoad(&effects) : nil
    let next = loading.active?.task
    listeners?.isTaskExecuting = next != nil
    listeners?.task = nil
    return (action, next)
  }

  /// Ends the active run and the watch, because the manager is gone (5.09).
  mutating func endListening(_ effects: inout Effects) -> LoadAction? {
    if let listeners = listeners.take() {
      if let departure = listeners.departure { effects.call { departure.cancel() } }
      effects.releaseAll(in: listeners)
    }
    return endManager(&effects)
  }

  /// The first open subscription while no run is active.
  var firstIdleListener: Subscription? {
    guard listeners != nil, loading.active == nil, openCount > 0 else { return nil }
    for lane in lanes where lane.openCount > 0 { if let first = lane.subscriptions.firstOpen { return first } }
    return nil
  }
}
