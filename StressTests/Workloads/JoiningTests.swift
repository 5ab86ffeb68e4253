import SubPub
import Support
import Testing

extension StressTests {
  @Test("a new subscriber misses no state, however fast they are published")
  func stochastic_1_02_2_01_joining() async { await Workload.joining.run(Joining.perform) }
}

/// Half of the threads only publish, the others only subscribe.
///
/// Few subscribers at a time make a publish fast, and lanes of their own keep pending states from hiding a replay.
enum Joining {
  private static let states = 1_500
  private static let joins = 120
  private static let most = 3

  @Sendable static func perform(_ round: Round) async -> RoundResult {
    let tested = PublisherUnderTest()
    var subscribers = Subscribers()
    subscribers.addReference(to: tested)
    let played = await round.threads.run { index in
      var (random, caller) = (round.random(index), Caller(index + 1))
      var group = ChurnGroup(tested, joiner: index + 1)
      if index % 2 == 0 {
        for _ in 0..<states { caller.publish(tested.publisher, &random) }
      } else {
        for _ in 0..<joins {
          let context = random.pick([ContextKind.background, .independentQueue, .executor, .immediate])
          group.subscribe(SubscriptionKind(at: Places.draw(context, &random), random.pick(Interface.anywhere)))
          if group.present.count > most { group.cancel(&random) }
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
