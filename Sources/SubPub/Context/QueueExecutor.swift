public import Dispatch

/// An executor over a serial Dispatch queue, for actors and tasks that should run on the queue.
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
  /// The queue that runs the jobs.
  public let queue: DispatchQueue
  private let mark = DispatchSpecificKey<ObjectIdentifier>()

  /// Creates an executor over a new serial queue.
  ///
  /// - Parameter label: The label of the queue.
  public convenience init(label: String) { self.init(DispatchQueue(label: label)) }

  /// Creates an executor over an existing queue.
  ///
  /// - Parameter serialQueue: The queue. An actor on a concurrent queue wouldn't be isolated.
  /// - Precondition: The queue is serial, which isn't checked.
  public init(_ serialQueue: DispatchQueue) {
    queue = serialQueue
    queue.setSpecific(key: mark, value: ObjectIdentifier(self))
  }

  deinit { queue.setSpecific(key: mark, value: nil) }

  /// Appends a job to the queue; the Swift runtime calls this.
  ///
  /// - Parameter job: The job.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async {
      unsafe job.runSynchronously(
        isolatedTo: self.asUnownedSerialExecutor(), taskExecutor: self.asUnownedTaskExecutor())
    }
  }

  /// Returns whether the caller runs on the queue; the Swift runtime calls this.
  public func isIsolatingCurrentContext() -> Bool? {
    DispatchQueue.getSpecific(key: mark) == ObjectIdentifier(self)
  }

  /// Stops the program unless the caller runs on the queue; the Swift runtime calls this.
  public func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}

extension QueueExecutor: CustomStringConvertible {
  /// The queue's label, for logs.
  public var description: String { "QueueExecutor(\(queue.label.onOneLine))" }
}
