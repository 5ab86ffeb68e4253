import SubPubTesting

/// A manager whose every step runs when the test says so, and on its thread. After a `run()` nothing else happens by
/// itself: so a test may say what has not happened.
protocol SteppedBench {
  associatedtype Answer: Sendable
  var executor: ManualExecutor { get }
  var clock: ManualClock { get }
  var source: Source<Answer> { get }
}

extension SteppedBench {
  /// Runs everything until it waits or has ended.
  func run() { executor.runAll() }

  /// Has a call of the loader fail, and runs what follows.
  func fail(_ call: Int, _ error: any Error = PublishingTests.Failure.offline) {
    source.answer(call, .failure(error))
    run()
  }

  func cancel<Result>(_ caller: Caller<Result>) {
    caller.cancel()
    run()
  }

  /// Has the time pass, and runs what follows.
  func pass(_ duration: Duration) {
    clock.advance(by: duration)
    run()
  }

  /// Ends what is still under way: a task that is never resumed stays in memory for good.
  func finish() {
    source.close()
    repeat { run() } while clock.advanceToNextDeadline()
  }
}
