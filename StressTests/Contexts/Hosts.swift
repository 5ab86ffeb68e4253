import SubPub

/// An actor to deliver to, on the Swift pool.
actor PoolHost {
  private var visits = 0
  /// Something else that the actor has to do.
  func visit(_ body: @Sendable () -> Void) {
    visits &+= 1
    body()
  }
}

/// An actor to deliver to, on a queue of its own.
actor QueueHost {
  private let executor: QueueExecutor
  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }
  init(_ executor: QueueExecutor) { self.executor = executor }
  func visit(_ body: @Sendable () -> Void) { body() }
}
