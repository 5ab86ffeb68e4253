import SubPub
import Testing

extension StressTests {
  @Test("whoever joins in the middle of a storm of states misses none")
  func stochastic_1_02_2_01_joining() async { await Workload.joining.run(Joining.perform) }
}

/// Half of the threads do nothing but publish, the others nothing but subscribe: few at a time, so that a publish is
/// quick, and in lanes of their own, so that nothing that is pending there hides what was replayed.
enum Joining {
  private static let states = 1_500
  private static let joins = 120
  private static let most = 3

  @Sendable static func perform(_ round: Round) async -> RoundResult {
    let stage = Stage()
    var cast = Cast()
    cast.add(Role(place: round.places[.background][0], face: .typed), to: stage)
    let played = await round.crew.run { index in
      var (random, caller) = (round.random(index), Caller(index + 1))
      var troupe = Troupe(stage, joiner: index + 1)
      if index % 2 == 0 {
        for _ in 0..<states { caller.publish(stage.publisher, &random) }
      } else {
        for _ in 0..<joins {
          let venue = random.pick([Venue.background, .independent, .concurrentExecutor, .immediate])
          troupe.join(Role(place: round.places.draw(venue, &random), face: random.pick(Face.anywhere)))
          if troupe.present.count > most { troupe.cancel(&random) }
        }
      }
      return (troupe, caller.calls)
    }
    let others = await cast.take(played.map(\.0))
    return RoundResult(courses: [await cast.course(of: stage, calls: played.flatMap(\.1), others: others)])
  }
}
