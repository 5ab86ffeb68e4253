import SubPubTesting

/// An actor whose jobs run when the test says so.
actor ManualHost {
  nonisolated let executor: ManualExecutor
  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

  init(_ executor: ManualExecutor = ManualExecutor()) { self.executor = executor }
}
