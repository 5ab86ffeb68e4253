import Dispatch

/// What a context runs when it has been woken.
protocol Drainable: AnyObject, Sendable {
  /// Delivers what is pending. Called on the context.
  func drain()
  /// Has it drained there. Called anywhere, outside every turn.
  func wake()
}

extension Delivery.Context {
  /// Has the lane drained on this context, soon. Never called inside a turn: `enqueue` of a foreign executor may run
  /// the job at once.
  ///
  /// Says false when the context is gone for good.
  ///
  /// `handsBack` says that it is the drain itself that goes to the end of its context's line.
  func wake(_ lane: some Drainable, handsBack: Bool) -> Bool {
    switch self {
    case .immediate:
      lane.drain()
    case .main:
      DispatchQueue.main.submit { lane.drain() }
    case .background:
      DispatchQueue.global().submit { lane.drain() }
    case .queue(let reference, _):
      reference.queue.submit { lane.drain() }
    case .executor(let reference):
      // Detached: a task that inherits would hand the publisher's task-locals to the subscriber (rule 2.10).
      Task.detached(executorPreference: reference.executor) { lane.drain() }
    case .actor(let reference):
      guard let actor = reference.actor else { return false }
      if let executor = actor.foreignExecutor {
        // The job waits on the executor, and the actor may go meanwhile (rule 2.05).
        start(on: StandIn(executor)) { lane.drain() }
      } else if handsBack {
        // This job keeps the actor, and the next one would from now on: a lane that feeds itself would never let go.
        DispatchQueue.global().submit { lane.wake() }
      } else {
        start(on: actor) { lane.drain() }
      }
    case .iteration:
      // An iterator comes by itself.
      break
    }
    return true
  }
}

extension Delivery.Context {
  /// The actor that this context is, while it lives.
  var actor: (any Actor)? {
    if case .actor(let reference) = self { reference.actor } else { nil }
  }

  /// Whether it was an actor, which has died: `actor` was nil.
  func isGone(_ actor: (any Actor)?) -> Bool {
    if case .actor = self { actor == nil } else { false }
  }
}

extension Delivery.Context {
  /// Whether a drain there looks at the clock (see `Budget`). Found out when the delivery is made.
  var isTimed: Bool {
    switch self {
    case .immediate: false
    case .main, .background, .iteration: true
    case .queue(let reference, _): reference.isTimed
    case .executor(let reference): reference.isTimed
    case .actor(let reference): reference.isTimed
    }
  }
}

/// An actor on the executor of another, which it stands in for: code isolated to the one is isolated to the other.
private actor StandIn {
  private nonisolated let lent: ForeignExecutor
  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe lent.executor }
  init(_ executor: ForeignExecutor) { lent = executor }
}

/// Runs `body` on the actor, in a task that inherits nothing.
private func start(on actor: any Actor, _ body: @escaping @Sendable () -> Void) {
  if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
    // Goes to the actor from this thread, without a detour by the pool, which may be busy.
    Task.immediateDetached { await run(body, on: actor) }
  } else {
    Task.detached { await run(body, on: actor) }
  }
}

private func run(_ body: @Sendable () -> Void, on actor: isolated any Actor) { body() }
