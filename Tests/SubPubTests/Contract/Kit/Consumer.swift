import SubPub
import SubPubTesting

/// Iterates a sequence step by step, on the test's thread.
final class Consumer<Value: Sendable>: Sendable {
  /// What came so far.
  let recorder = Recorder<Value>()
  private let trial: PublishingTests.Trial<Subscription.Statistics>

  /// The iterator is made at the first `run()`.
  ///
  /// `goesOn` is asked after each state, and not while the iterator waits.
  init(_ states: StateSequence<Value>, while goesOn: @escaping @Sendable () -> Bool = { true }) {
    trial = PublishingTests.Trial { [recorder] in
      var iterator = states.makeAsyncIterator()
      while goesOn(), let state = await iterator.next() { recorder.receive(state) }
      return iterator.statistics
    }
  }

  /// Takes what there is, until it waits or ends.
  @discardableResult func run() -> Consumer {
    trial.run()
    return self
  }

  func cancel() { trial.cancel() }

  /// The loop has been left, and the iterator released.
  var isOver: Bool { trial.isOver }
  var states: [LoadState<Value>] { recorder.states }
  /// At the end.
  var statistics: Subscription.Statistics? { trial.value }
}
