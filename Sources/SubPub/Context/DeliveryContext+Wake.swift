import Dispatch

/// What a context serves: a lane.
protocol Servable: AnyObject, Sendable {
  /// Called on the context, or on the publishing thread if the context is `.immediate`.
  func serve()
  /// Has the object served on its context.
  func wake()
}

extension DeliveryContext {
  /// Has an object served on this context; with `.immediate`, it is served now.
  ///
  /// Never called inside a turn: a foreign executor's `enqueue` may run the job at once. Returns false if the context
  /// is an actor that has died.
  func wake(_ lane: some Servable) -> Bool {
    switch kind {
    case .immediate:
      lane.serve()
    case .main:
      DispatchQueue.main.submit { lane.serve() }
    case .background:
      DispatchQueue.global().submit { lane.serve() }
    case .queue(let reference, _):
      reference.queue.submit { lane.serve() }
    case .executor(let reference):
      // Detached, because a task that inherits would pass the publisher's task-local values to the subscriber (2.10).
      Task.detached(executorPreference: reference.executor) { lane.serve() }
    case .serial(let reference):
      start(on: StandInActor(reference.foreign)) { lane.serve() }
    case .actor(let reference):
      guard let actor = reference.actor else { return false }
      if let executor = actor.foreignExecutor {
        // The job waits on the executor, so the actor may die in the meantime (2.05).
        start(on: StandInActor(executor)) { lane.serve() }
      } else {
        start(on: actor) { lane.serve() }
      }
    case .iteration:
      // An iterator takes its states itself.
      break
    }
    return true
  }

  /// Moves an object, which this context has just served, to the end of the context's queue.
  ///
  /// Never called inside a turn. Runs no foreign code.
  func handBack(_ lane: some Servable) {
    if hasKnownQueue { return lane.wake() }
    // From another thread: an event loop would run a job that its own thread enqueues before it looks at its I/O
    // (2.08), and an executor that runs jobs inside `enqueue` would nest it in this one (4.04). Of an actor without an
    // executor of its own, the running job keeps the actor alive, and so would the next job from now on: a lane that
    // feeds itself would never release it (2.05).
    switch kind {
    case .executor(let reference) where reference.executor is any SerialExecutor:
      let executor = reference.executor
      return HandBackLine.add(lane, on: executor) { job in Task.detached(executorPreference: executor) { job() } }
    case .serial(let reference):
      return HandBackLine.add(lane, on: reference.executor) { job in start(on: StandInActor(reference.foreign), job) }
    case .actor(let reference):
      guard let executor = reference.actor?.foreignExecutor else { break }
      return HandBackLine.add(lane, on: executor.owner) { job in start(on: StandInActor(executor), job) }
    default: break
    }
    DispatchQueue.withOwnThread().submit { lane.wake() }
  }
}

/// The lanes that wait for one serial executor to go on.
///
/// An event loop looks at its I/O when no job is left. If all lanes that it has to go on with were enqueued there, it
/// would always find the job of another one (2.08). So only one of them is; the next one follows, from another thread,
/// when the time slice of that one is over. That thread may be faster than the loop, so every few milliseconds it
/// leaves the loop some time.
private struct HandBackLine {
  typealias Enqueue = @Sendable (_ job: @escaping @Sendable () -> Void) -> Void

  /// By the address of the executor, which the closure `Enqueue` keeps.
  private static let all = Locked<[ObjectIdentifier: HandBackLine]>([:])
  private static let busyTime: Duration = .milliseconds(2)

  /// Empty while the only lane is on the executor.
  private var lanes: [any Servable] = []
  private var nextPause = ContinuousClock.now + busyTime

  static func add(_ lane: any Servable, on executor: AnyObject, _ enqueue: @escaping Enqueue) {
    let id = ObjectIdentifier(executor)
    let isFirst = all.withLock { all in
      let isFirst = all[id] == nil
      all[id, default: HandBackLine()].lanes.append(lane)
      return isFirst
    }
    if isFirst { advance(id, enqueue) }
  }

  /// Enqueues the next lane, from another thread.
  private static func advance(_ id: ObjectIdentifier, _ enqueue: @escaping Enqueue) {
    let pauses = all.withLock { all in
      guard let line = all[id], line.nextPause <= .now else { return false }
      all[id]?.nextPause = .now + busyTime
      return true
    }
    let next: @Sendable () -> Void = {
      guard let lane = all.withLock({ $0[id]?.lanes.removeFirst() }) else { return }
      enqueue {
        lane.serve()
        let isLast = all.withLock { all in
          guard let line = all[id], line.lanes.isEmpty else { return false }
          all[id] = nil
          return true
        }
        if !isLast { advance(id, enqueue) }
      }
    }
    let queue = DispatchQueue.withOwnThread()
    if pauses { queue.asyncAfter(deadline: .now() + .microseconds(100), execute: next) } else { queue.submit(next) }
  }
}

/// A stand-in for an actor with a foreign executor, or with none at all but the executor: code isolated to the one is
/// isolated to the other.
private actor StandInActor {
  private nonisolated let foreign: ForeignExecutor
  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe foreign.executor }
  init(_ executor: ForeignExecutor) { foreign = executor }
}

/// Runs `body` on the actor, in a task that inherits nothing.
private func start(on actor: any Actor, _ body: @escaping @Sendable () -> Void) {
  if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
    // Enqueues on the actor from this thread, without a detour through the pool, which may be busy.
    Task.immediateDetached { await run(body, on: actor) }
  } else {
    Task.detached { await run(body, on: actor) }
  }
}

private func run(_ body: @Sendable () -> Void, on actor: isolated any Actor) { body() }
