import Synchronization

/// A task executor that runs each job inside `enqueue`.
final class InlineExecutor: TaskExecutor {
  private let willRun: @Sendable () -> Void
  private let count = Atomic<Int>(0)

  init(willRun: @escaping @Sendable () -> Void = {}) { self.willRun = willRun }

  /// How many jobs it was given.
  var jobs: Int { count.load(ordering: .relaxed) }

  func enqueue(_ job: consuming ExecutorJob) {
    count.add(1, ordering: .relaxed)
    willRun()
    unsafe UnownedJob(job).runSynchronously(on: asUnownedTaskExecutor())
  }
}
