public import Dispatch

/// An executor over a serial Dispatch queue, for actors that should run on the queue and for tasks that prefer it.
///
/// Dispatch on Linux has no executor of its own. An actor adopts this one with two properties:
///
/// ```swift
/// actor Log {
///   private let executor = QueueExecutor(label: "log")
///   nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
/// }
/// ```
public final class QueueExecutor: SerialExecutor, TaskExecutor {
  /// The queue that runs everything.
  public let queue: DispatchQueue
  private let mark = DispatchSpecificKey<ObjectIdentifier>()

  /// Creates an executor over a new serial queue with this label.
  public convenience init(label: String) { self.init(DispatchQueue(label: label)) }

  /// Creates an executor over a queue of yours.
  ///
  /// - Precondition: The queue is serial. An actor on a concurrent queue wouldn't be isolated.
  public init(_ serialQueue: DispatchQueue) {
    queue = serialQueue
    queue.setSpecific(key: mark, value: ObjectIdentifier(self))
  }

  deinit { queue.setSpecific(key: mark, value: nil) }

  /// Appends the job to the queue.
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

  /// Stops the program unless the caller runs on the queue.
  public func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}

extension QueueExecutor: CustomStringConvertible {
  /// The queue's label.
  public var description: String { "QueueExecutor(\(queue.label))" }
}
