import SubPub
import SubPubTesting
import Support
import Testing

/// Iterates a sequence step by step, on the test's thread.
final class Consumer<Value: Sendable>: Sendable {
  private let recorder = Recorder<Value>()
  private let trial: PublishingTests.Trial<Subscription.Statistics>

  /// Makes the iterator at the first `run()`; asks `goesOn` before each `next()`.
  init(_ states: StateSequence<Value>, while goesOn: @escaping @Sendable () -> Bool = { true }) {
    trial = PublishingTests.Trial { [recorder] in
      var iterator = states.makeAsyncIterator()
      while goesOn(), let state = await iterator.next() { recorder.receive(state) }
      return iterator.statistics
    }
  }

  /// Takes states until the loop waits or ends.
  @discardableResult func run() -> Consumer {
    trial.run()
    return self
  }

  func cancel() { trial.cancel() }

  /// Whether the loop has ended and released its iterator.
  var isOver: Bool { trial.isOver }
  var states: [LoadState<Value>] { recorder.states }
  /// The counts at the end of the loop.
  var statistics: Subscription.Statistics? { trial.value }
}

extension PublishingTests.Trial {
  /// Runs the task to its end whenever something wakes it; throws if it hangs.
  func finish(sourceLocation: SourceLocation = #_sourceLocation) async throws -> Result {
    while !run().isOver {
      let isLate = await withTaskGroup { group in
        group.addTask { [executor] in
          await executor.waitForPending(1)
          return false
        }
        group.addTask { await TestLimit.waitForHang() }
        defer { group.cancelAll() }
        return await group.next() ?? true
      }
      try #require(!isLate, "nothing has woken the task", sourceLocation: sourceLocation)
    }
    if let error { throw error }
    return try #require(value, sourceLocation: sourceLocation)
  }
}
