import SubPub
import Testing

extension StressTests {
  @Test("whoever joins gets the state of that moment and all that follow, while others come and go")
  func stochastic_1_02_1_03_2_01_2_06_3_02_3_07_churn() async { await Workload.churn.run(Churn.perform) }
}

/// Every thread publishes, subscribes, cancels and lets go at random.
enum Churn {
  private static let steps = 200

  @Sendable static func perform(_ round: Round) async -> RoundResult {
    let stage = Stage()
    // The one who sees everything.
    var cast = Cast()
    cast.add(Role(place: round.places[.background][0], face: .typed), to: stage)
    let played = await round.crew.run { index in
      var (random, caller) = (round.random(index), Caller(index + 1))
      var troupe = Troupe(stage, joiner: index + 1)
      for _ in 0..<steps {
        switch random.draw(24) {
        case 0...8: for _ in 0..<random.draw(8) { caller.publish(stage.publisher, &random) }
        case 9...16: troupe.join(.draw(&random))
        case 17: troupe.cancel(&random)
        case 18: troupe.unsubscribe(&random)
        case 19: troupe.release(&random)
        case 20: troupe.read(&random)
        case 21: _ = stage.publisher.subscriberCount
        case 22: troupe.standFast(&random)
        default: troupe.read(anyOf: &random)
        }
      }
      return (troupe, caller.calls)
    }
    let others = await cast.take(played.map(\.0))
    return RoundResult(courses: [await cast.course(of: stage, calls: played.flatMap(\.1), others: others)])
  }
}

extension Troupe {
  /// One subscribes again: the standing subscription is returned, and nothing is replayed.
  fileprivate func standFast(_ random: inout SplitMix) {
    guard !present.isEmpty else { return }
    let joined = present[random.draw(present.count)]
    guard let witness = joined.subscriber as? TypedWitness else { return }
    stage.publisher.subscribe(witness, on: .background)
  }
}
