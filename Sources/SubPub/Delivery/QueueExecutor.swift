public import Dispatch

/// A serial Dispatch queue as an executor: of actors that should run on it, and of tasks that prefer it.
///
/// Linux has no executor over a Dispatch queue of its own. An actor takes it on with
/// `nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }`.
public final class QueueExecutor: SerialExecutor, TaskExecutor {
  /// The queue that everything runs on.
  public let queue: DispatchQueue
  private let mark = DispatchSpecificKey<ObjectIdentifier>()

  /// A new serial queue with that label.
  public convenience init(label: String) { self.init(DispatchQueue(label: label)) }

  /// Wraps a queue of yours. It must be serial: an actor on a concurrent queue would not be isolated.
  public init(_ serialQueue: DispatchQueue) {
    queue = serialQueue
    queue.setSpecific(key: mark, value: ObjectIdentifier(self))
  }

  deinit { queue.setSpecific(key: mark, value: nil) }

  /// Puts the job behind what the queue already has.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async {
      unsafe job.runSynchronously(
        isolatedTo: self.asUnownedSerialExecutor(), taskExecutor: self.asUnownedTaskExecutor())
    }
  }

  /// Whether the caller runs on the queue.
  public func isIsolatingCurrentContext() -> Bool? {
    DispatchQueue.getSpecific(key: mark) == ObjectIdentifier(self)
  }

  /// Stops unless the caller runs on the queue.
  public func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}

extension QueueExecutor: CustomStringConvertible {
  /// The queue's label.
  public var description: String { "QueueExecutor(\(queue.label))" }
}
