import SubPub
import SubPubTesting
import Support
import Testing

/// Iterates a sequence step by step, on the test's thread.
final class Consumer<Value: Sendable>: Sendable {
  private let recorder = Recorder<Value>()
  private let trial: Trial<Subscription.Statistics>

  /// Makes the iterator at the first `run()`; asks `goesOn` before each `next()`.
  init(_ states: StateSequence<Value>, while goesOn: @escaping @Sendable () -> Bool = { true }) {
    trial = Trial { [recorder] in
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
