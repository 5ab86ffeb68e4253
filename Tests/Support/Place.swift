package import Dispatch
import Foundation
package import SubPub
import SubPubTesting
import Synchronization

/// One context for deliveries, which can tell whether code runs on it (2.03).
///
/// It holds what the context itself holds weakly.
package final class Place: @unchecked Sendable {
  package let kind: ContextKind
  package let context: DeliveryContext
  /// The queue of the context, to suspend it or to run other code there.
  package let queue: DispatchQueue?
  /// Whether the context runs one thing at a time, whichever publisher it is from.
  package let isExclusive: Bool
  private let actor: (any Actor)?
  // Relaxed, so that the mark doesn't order what the library has to order.
  private let isInside = Atomic<Bool>(false)
  /// Plain on purpose: ThreadSanitizer reports accesses that the context doesn't keep apart.
  @exclusivity(unchecked) private var visits = 0

  /// The mark of its queue, which all places on the main queue share.
  private let number: Int
  private static let mark = DispatchSpecificKey<Int>()
  private static let last = Atomic<Int>(0)
  /// Marks the main queue once: Dispatch frees a mark that is replaced, even while the queue reads it.
  private static let markMainQueue: Void = DispatchQueue.main.setSpecific(key: mark, value: 0)

  package init(
    _ kind: ContextKind, _ context: DeliveryContext, on queue: DispatchQueue? = nil, isExclusive: Bool = false,
    holding actor: (any Actor)? = nil
  ) {
    (self.kind, self.context, self.queue, self.actor) = (kind, context, queue, actor)
    self.isExclusive = isExclusive
    number = kind == .main ? 0 : Self.last.add(1, ordering: .relaxed).newValue
    if kind == .main { Self.markMainQueue } else { queue?.setSpecific(key: Self.mark, value: number) }
  }

  /// A new context of that kind.
  package convenience init(_ kind: ContextKind) {
    switch kind {
    case .immediate: self.init(kind, .immediate)
    case .main: self.init(kind, .main, on: .main, isExclusive: true)
    case .background: self.init(kind, .background)
    case .queue, .concurrentQueue, .independentQueue:
      let (isSerial, isIndependent) = (kind == .queue, kind == .independentQueue)
      let queue = DispatchQueue(label: "\(kind)", attributes: isSerial ? [] : .concurrent)
      self.init(kind, .queue(queue, independent: isIndependent), on: queue, isExclusive: isSerial)
    case .executor:
      let queue = DispatchQueue(label: "pool", attributes: .concurrent)
      self.init(kind, .executor(ConcurrentExecutor(queue)), on: queue)
    case .serial:
      let executor = QueueExecutor(label: "serial")
      let actor = QueueActor(executor)
      self.init(kind, .serial(executor), on: executor.queue, isExclusive: true, holding: actor)
    case .actor:
      let actor = PoolActor()
      self.init(kind, .actor(actor), isExclusive: true, holding: actor)
    case .actorOnQueue:
      let executor = QueueExecutor(label: "actor")
      let actor = QueueActor(executor)
      self.init(kind, .actor(actor), on: executor.queue, isExclusive: true, holding: actor)
    }
  }

  /// A serial queue as a task executor.
  package static func serialExecutor() -> Place {
    let executor = QueueExecutor(label: "serial executor")
    return Place(.executor, .executor(executor), on: executor.queue, isExclusive: true)
  }

  /// The context with a lane of its own for each subscription, if it can have that.
  package var independent: DeliveryContext {
    switch kind {
    case .queue, .concurrentQueue, .independentQueue: queue.map { .queue($0, independent: true) } ?? context
    default: context
    }
  }
}

extension Place {
  /// Whether the caller runs on this context; an actor stops the program instead of returning false.
  package var isHere: Bool {
    if queue != nil, DispatchQueue.getSpecific(key: Self.mark) != number { return false }
    if kind == .main { MainActor.preconditionIsolated() }
    if kind == .background {
      guard !ThreadMark.isTestThread else { return false }
      dispatchPrecondition(condition: .onQueue(.global()))
    }
    actor?.preconditionIsolated()
    return true
  }

  /// Marks the beginning of a delivery, and returns whether it is here, and alone if the place is exclusive.
  package func enter() -> Bool {
    if isExclusive {
      guard !isInside.exchange(true, ordering: .relaxed) else { return false }
      unsafe visits &+= 1
    }
    return isHere
  }

  /// Marks the end of a delivery.
  package func leave() { if isExclusive { isInside.store(false, ordering: .relaxed) } }

  /// Enqueues the body on the context; for `.immediate` it runs on a new thread.
  package func start(_ body: @escaping @Sendable () -> Void) {
    switch kind {
    case .immediate: Thread.detachNewThread(body)
    case .background: DispatchQueue.global().async(execute: body)
    case .main, .queue, .concurrentQueue, .independentQueue: queue?.async(execute: body)
    case .executor: if let queue { Task.detached(executorPreference: ConcurrentExecutor(queue)) { body() } }
    case .serial, .actor, .actorOnQueue: if let actor { Task.detached { await actor.run(body) } }
    }
  }

  /// Runs the body on the context, and waits until it has run.
  package func run(_ body: @escaping @Sendable () -> Void) async throws {
    let done = Recorder<Int>()
    start {
      body()
      done.receive(.unknown)
    }
    try await done.wait(count: 1)
  }

  /// Stops a context other than the main actor, which has to be stoppable, until `resume()`.
  package func stop() { if kind != .main { queue?.suspend() } }
  package func resume() { if kind != .main { queue?.resume() } }

  /// Runs the body while a stoppable context begins nothing.
  ///
  /// A subscription that the body makes has had no delivery when this returns.
  package func whileStopped<R>(_ body: () throws -> R) async throws -> R {
    let gate = Gate()
    if kind == .main {
      start { gate.pass() }
      try await gate.waitUntilHeld()
    }
    stop()
    defer {
      gate.open()
      resume()
    }
    return try body()
  }
}

extension Actor {
  fileprivate func run(_ body: @Sendable () -> Void) { body() }
}

/// A task executor that runs jobs at the same time.
private final class ConcurrentExecutor: TaskExecutor {
  private let queue: DispatchQueue

  init(_ queue: DispatchQueue) { self.queue = queue }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}

/// An actor on Swift's pool.
private actor PoolActor {}

/// An actor on a queue of its own.
private actor QueueActor {
  private let executor: QueueExecutor
  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }
  init(_ executor: QueueExecutor) { self.executor = executor }
}
