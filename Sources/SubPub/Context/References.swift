import Dispatch

// The objects that a context refers to, with the identity that makes contexts equal.

/// A reference to a queue, equal to every other reference to the same queue.
struct QueueReference: Hashable, Sendable {
  let queue: any WorkQueue
  let fixedTimeSlice: Int?
  /// The label, if the queue is one of Dispatch's global queues, whose labels differ.
  ///
  /// On Linux every access to a global queue creates a new object, so identity can't distinguish them.
  private let globalLabel: String?

  init(_ queue: any WorkQueue) {
    self.queue = queue
    fixedTimeSlice = (queue as? any FixedTimeSlice)?.deliveriesAtATime
    let label = queue.label
    globalLabel = label.hasPrefix("com.apple.root.") ? label : nil
  }

  static func == (left: QueueReference, right: QueueReference) -> Bool {
    left.queue === right.queue || (left.globalLabel != nil && left.globalLabel == right.globalLabel)
  }

  func hash(into hasher: inout Hasher) {
    if let globalLabel { hasher.combine(globalLabel) } else { hasher.combine(ObjectIdentifier(queue)) }
  }
}

extension QueueReference {
  /// Returns whether this is the main queue, the only one that carries the mark.
  ///
  /// On Linux every access to the main queue creates a new object, so identity can't tell.
  static func isMain(_ queue: DispatchQueue) -> Bool { queue.getSpecific(key: mainMark) == true }

  /// Whether the caller runs on the main queue, and thus on the main actor.
  static var isOnMain: Bool { DispatchQueue.getSpecific(key: mainMark) == true }

  private static let mainMark: DispatchSpecificKey<Bool> = {
    let mark = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: mark, value: true)
    return mark
  }()
}

/// The operations of a queue that a context needs.
///
/// Dispatch's queues conform to it, and so do the stand-ins of tests, in which a seed decides which job is next.
package protocol WorkQueue: AnyObject, Sendable {
  /// The queue's name, for descriptions.
  var label: String { get }

  /// Runs the work asynchronously, never before `submit` returns; not called inside a turn.
  func submit(_ work: @escaping @Sendable () -> Void)
}

extension DispatchQueue {
  /// Returns a queue that gets a thread even while blocked subscribers hold all threads of the global queue.
  static func withOwnThread() -> DispatchQueue { DispatchQueue(label: "SubPub") }
}

extension DispatchQueue: WorkQueue {
  /// Runs the work asynchronously.
  ///
  /// The work doesn't get the caller's quality of service where the platform has one (2.10).
  package func submit(_ work: @escaping @Sendable () -> Void) {
    #if canImport(Darwin)
      async(flags: .detached, execute: work)
    #else
      async(execute: work)
    #endif
  }
}

/// A queue or executor whose time slices are a fixed number of deliveries, without reading a clock.
///
/// For tests in which everything follows from the order of the jobs. An executor never runs a job inside `enqueue`.
package protocol FixedTimeSlice: AnyObject {
  var deliveriesAtATime: Int { get }
}

extension FixedTimeSlice {
  package var deliveriesAtATime: Int { TimeSlice.deliveries }
}

/// A reference to an executor, equal to every other reference to the same object.
protocol AnyExecutorReference: Hashable, Sendable {
  var object: any Executor { get }
  var fixedTimeSlice: Int? { get }
}

extension AnyExecutorReference {
  // Looked up when a lane is handed back: a field more makes every wake-up dearer.
  var hasKnownQueue: Bool { fixedTimeSlice != nil || object is QueueExecutor }

  static func == (left: Self, right: Self) -> Bool { left.object === right.object }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(object)) }
}

/// A reference to a task executor.
struct ExecutorReference: AnyExecutorReference {
  let executor: any TaskExecutor
  let fixedTimeSlice: Int?
  var object: any Executor { executor }

  init(_ executor: any TaskExecutor) {
    self.executor = executor
    fixedTimeSlice = (executor as? any FixedTimeSlice)?.deliveriesAtATime
  }
}

/// A reference to a serial executor.
struct SerialReference: AnyExecutorReference {
  let executor: any SerialExecutor
  let fixedTimeSlice: Int?
  var object: any Executor { executor }
  var foreign: ForeignExecutor { unsafe ForeignExecutor(executor.asUnownedSerialExecutor(), owner: executor) }

  init(_ executor: any SerialExecutor) {
    self.executor = executor
    fixedTimeSlice = (executor as? any FixedTimeSlice)?.deliveriesAtATime
  }
}

/// A weak reference to an actor, equal to every other reference to it, dead or alive (2.05).
final class ActorReference: Sendable {
  weak let actor: (any Actor)?
  let type: any Actor.Type
  let fixedTimeSlice: Int?
  let hasKnownQueue: Bool
  /// The actor's address, which identifies the actor even after its death; see `memory`.
  let id: ObjectIdentifier
  /// A reference that keeps the actor's memory, but not the actor.
  ///
  /// While it exists, no other object gets the same address. It is never read.
  private unowned let memory: any Actor

  init(_ actor: any Actor) {
    self.actor = actor
    memory = actor
    id = ObjectIdentifier(actor)
    type = Swift.type(of: actor)
    let owner = actor.foreignExecutor?.owner
    fixedTimeSlice = (owner as? any FixedTimeSlice)?.deliveriesAtATime
    hasKnownQueue = fixedTimeSlice != nil || owner is QueueExecutor
  }
}

extension ActorReference: Hashable {
  static func == (left: ActorReference, right: ActorReference) -> Bool { left.id == right.id }

  func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

/// The executor of an actor that isn't its own executor.
@safe
struct ForeignExecutor: Sendable {
  let executor: UnownedSerialExecutor
  /// The owner, which keeps the executor alive.
  ///
  /// It is never called: if an actor lends its own executor, this object has no methods.
  let owner: any SerialExecutor

  init(_ executor: UnownedSerialExecutor, owner: any SerialExecutor) {
    unsafe self.executor = executor
    self.owner = owner
  }
}

extension Actor {
  /// The executor that runs the actor's jobs, if it isn't the actor itself; nil if the system can't tell.
  nonisolated var foreignExecutor: ForeignExecutor? {
    guard #available(macOS 26.4, iOS 26.4, tvOS 26.4, watchOS 26.4, visionOS 26.4, *) else { return nil }
    let executor = unsafe unownedExecutor
    guard let owner = unsafe executor.asSerialExecutor(), owner !== self else { return nil }
    return unsafe ForeignExecutor(executor, owner: owner)
  }
}
