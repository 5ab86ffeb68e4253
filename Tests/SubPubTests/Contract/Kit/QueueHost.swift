import SubPub

/// An actor on a queue of its own: a closed gate in it holds no thread of Swift's pool.
actor QueueHost {
  nonisolated let executor: QueueExecutor
  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

  init(_ executor: QueueExecutor = QueueExecutor(label: "host")) { self.executor = executor }

  func run(_ body: @Sendable () -> Void) { body() }
}
