/// An actor on an executor that is foreign code.
actor StruckHost {
  nonisolated let executor: StruckExecutor
  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

  init(_ executor: StruckExecutor) { self.executor = executor }
}
