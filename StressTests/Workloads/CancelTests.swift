import Dispatch
import SubPub
import SubPubTesting
import Support
import Testing

extension StressTests {
  @Test("the outcome of a cancel is true")
  func stochastic_2_06_3_01_3_02_3_03_3_04_cancel() async { await Workload.cancel.run(Cancelling.perform) }
}

/// Several threads cancel the same subscriptions, from everywhere, while deliveries are in flight.
enum Cancelling {
  private static let steps = 50

  @Sendable static func perform(_ round: Round) async -> RoundResult {
    let tested = PublisherUnderTest()
    var subscribers = Subscribers()
    subscribers.addReference(to: tested)
    let targets = CancelTargets()
    let pending = DispatchGroup()
    let calls = await round.threads.run { index in
      var (random, caller) = (round.random(index), Caller(index + 1))
      for order in 0..<steps {
        targets.add(CancelTarget(tested, &random, by: index + 1, order: order))
        for _ in 0..<(1 + random.draw(6)) { caller.publish(tested.publisher, &random) }
        for _ in 0..<2 { targets.draw(&random)?.cancel(&random, pending) }
        if order % 4 == 1 { targets.keep(HeldDelivery.cancel(of: tested, &random, by: 100 + index, order: order)) }
        if order % 8 == 0 {
          targets.keep(Replacements.make(of: tested, &random, by: 200 + index, order: order, caller: &caller))
        }
      }
      return caller.calls
    }
    // Cancels on queues and in tasks.
    await withCheckedContinuation { done in pending.notify(queue: .global()) { done.resume() } }
    var history = await subscribers.history(of: tested, calls: calls.flatMap { $0 }, others: targets.subscriptions)
    // Targets that no thread has drawn are alive.
    history.count = nil
    return RoundResult(histories: [history])
  }
}
