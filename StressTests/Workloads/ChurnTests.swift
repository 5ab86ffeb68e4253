import SubPub
import Support
import Testing

extension StressTests {
  @Test("a new subscriber gets the current state and all later ones, while others come and go")
  func stochastic_1_02_1_03_2_01_2_06_3_02_3_07_churn() async { await Workload.churn.run(Churn.perform) }
}

/// Every thread publishes, subscribes, cancels and releases at random.
enum Churn {
  private static let steps = 200

  @Sendable static func perform(_ round: Round) async -> RoundResult {
    let tested = PublisherUnderTest()
    var subscribers = Subscribers()
    subscribers.addReference(to: tested)
    let played = await round.threads.run { index in
      var (random, caller) = (round.random(index), Caller(index + 1))
      var group = ChurnGroup(tested, joiner: index + 1)
      for _ in 0..<steps {
        switch random.draw(24) {
        case 0...8: for _ in 0..<random.draw(8) { caller.publish(tested.publisher, &random) }
        case 9...16: group.subscribe(.draw(&random))
        case 17: group.cancel(&random)
        case 18: group.unsubscribe(&random)
        case 19: group.release(&random)
        case 20: group.read(&random)
        case 21: _ = tested.publisher.subscriberCount
        case 22: group.subscribeAgain(&random)
        default: group.readStatistics(&random)
        }
      }
      return (group, caller.calls)
    }
    let ended = await subscribers.take(played.map(\.0))
    return RoundResult(histories: [
      await subscribers.history(of: tested, calls: played.flatMap(\.1), others: ended)
    ])
  }
}
