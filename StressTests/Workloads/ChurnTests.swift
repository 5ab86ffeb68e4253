import Testing

extension StressTests {
  /// Every thread publishes, subscribes, cancels and releases at random.
  @Test("a new subscriber gets the current state and all later ones, while others come and go")
  func stochastic_1_02_1_03_2_01_2_06_3_02_3_07_churn() async {
    await Workload.churn.run { round in
      await Self.churn(round) { tested, random, caller, group in
        for _ in 0..<200 {
          switch random.draw(24) {
          case 0...8: for _ in 0..<random.draw(8) { caller.publish(tested.publisher, &random) }
          case 9...16: group.add(.draw(&random))
          case 17: group.cancel(&random)
          case 18: group.unsubscribe(&random)
          case 19: group.release(&random)
          case 20: group.read(&random, limit: random.draw(50))
          case 21: _ = tested.publisher.subscriberCount
          case 22: group.subscribeAgain(&random)
          default: group.readStatistics(&random)
          }
        }
      }
    }
  }

  /// Gives each thread a group of subscribers of one publisher.
  static func churn(
    _ round: Round,
    _ body:
      @escaping @Sendable (
        _ tested: PublisherUnderTest, _ random: inout SeededGenerator, _ caller: inout Caller,
        _ group: inout Subscribers
      ) -> Void
  ) async -> RoundResult {
    let tested = PublisherUnderTest()
    var subscribers = Subscribers(of: tested)
    subscribers.addReference()
    let (groups, calls) = await round.play { _, random, caller in
      var group = Subscribers(of: tested)
      body(tested, &random, &caller, &group)
      return group
    }
    subscribers += groups
    return RoundResult(histories: [await subscribers.history(of: tested, calls: calls)])
  }
}
