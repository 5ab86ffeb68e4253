import SubPubTesting

/// Where jobs wait to be run by a scheduler's workers.
protocol JobSource: AnyObject {
  /// Whether it has a job that may run now.
  var isReady: Bool { get }
  /// Runs one, on the calling strand.
  func runOne()
}

/// A manual executor's jobs: never two at once.
final class ManualJobs: JobSource {
  let executor: ManualExecutor
  private var isRunning = false

  init(seed: UInt64?) { executor = ManualExecutor(seed: seed) }

  var isReady: Bool { !isRunning && executor.pending > 0 }

  func runOne() {
    isRunning = true
    executor.runOne()
    isRunning = false
  }
}
