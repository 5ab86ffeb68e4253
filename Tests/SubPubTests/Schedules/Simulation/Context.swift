import SubPub
import Support

/// A simulated context, which can tell whether a delivery runs on it.
final class Context {
  let kind: ContextKind
  let context: DeliveryContext
  /// The lane that its subscriptions share; nil if each has its own lane.
  let lane: Int?
  /// Whether it runs one thing at a time.
  let isSerial: Bool
  private let isHere: () -> Bool
  /// The actor, which the library holds weakly; nil once it is released.
  private var actor: (any Actor)?
  private(set) var isGone = false

  init(
    _ kind: ContextKind, _ context: DeliveryContext, lane: Int?, isSerial: Bool, actor: (any Actor)? = nil,
    isHere: @escaping () -> Bool
  ) {
    (self.kind, self.context, self.lane, self.isSerial) = (kind, context, lane, isSerial)
    (self.actor, self.isHere) = (actor, isHere)
  }

  /// Whether the running strand is on it.
  var isRunningHere: Bool { isHere() }

  func releaseActor() { (actor, isGone) = (nil, true) }
}

extension Simulation {
  /// The publishing thread.
  var immediate: Context { Context(.immediate, .immediate, lane: 0, isSerial: false) { true } }

  /// A serial queue, whose subscriptions share a lane.
  func serialQueue() -> Context { serial(makeQueue(.serial)) }

  func serial(_ queue: StandInQueue) -> Context {
    Context(.queue, .queue(queue), lane: makeNumber(), isSerial: true) { queue.isRunningHere }
  }

  /// A concurrent queue whose subscriptions share a lane, or have one each, as on `.background`.
  func concurrentQueue(independent: Bool) -> Context {
    let queue = makeQueue(.concurrent)
    return Context(
      independent ? .independentQueue : .concurrentQueue, .queue(queue, independent: independent),
      lane: independent ? nil : makeNumber(), isSerial: false
    ) { queue.isRunningHere }
  }

  /// A task executor with several threads.
  func executor() -> Context { executor(makeQueue(.concurrent), isSerial: false) }

  /// A task executor with one thread, which takes its jobs in any order.
  func unorderedExecutor() -> Context { executor(makeQueue(.unordered, isInterrupted: false), isSerial: true) }

  private func executor(_ queue: StandInQueue, isSerial: Bool) -> Context {
    Context(.executor, .executor(queue), lane: nil, isSerial: isSerial) { queue.isRunningHere }
  }

  /// An actor whose executor takes its jobs in any order, or in order if nothing is left to chance.
  func actor() -> Context {
    let queue = exploration == nil ? makeQueue(.unordered, isInterrupted: false) : makeQueue(.serial)
    let host = StandInActor(queue)
    return Context(.actor, .actor(host), lane: makeNumber(), isSerial: true, actor: host) { queue.isRunningHere }
  }

  /// Draws one of the contexts at each call.
  func anyOf(_ contexts: [Context]) -> () -> Context { { contexts[self.draw(contexts.count)] } }
}
