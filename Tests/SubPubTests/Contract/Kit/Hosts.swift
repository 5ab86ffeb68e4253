import Dispatch
import SubPub
import SubPubTesting

/// A queue that can tell whether the caller runs on it.
struct MarkedQueue: Sendable {
  let queue: DispatchQueue
  private static let mark = DispatchSpecificKey<ObjectIdentifier>()
  private let id: ObjectIdentifier

  init(_ queue: DispatchQueue) {
    self.queue = queue
    id = ObjectIdentifier(queue)
    queue.setSpecific(key: Self.mark, value: id)
  }

  static let main = MarkedQueue(.main)

  var isHere: Bool { DispatchQueue.getSpecific(key: Self.mark) == id }
}

/// An actor on Swift's pool.
actor PlainHost {
  func run(_ body: @Sendable () -> Void) { body() }
}

/// An actor on a queue of its own, where a closed gate holds no thread of Swift's pool.
actor QueueHost {
  nonisolated let executor: QueueExecutor
  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

  init(_ executor: QueueExecutor = QueueExecutor(label: "host")) { self.executor = executor }

  func run(_ body: @Sendable () -> Void) { body() }
}

/// An actor whose jobs run when the test says so.
actor ManualHost {
  nonisolated let executor: ManualExecutor
  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

  init(_ executor: ManualExecutor = ManualExecutor()) { self.executor = executor }
}
