import SubPub
import Testing

extension StressTests {
  @Test("to publish, subscribe and cancel inside a callback is as anywhere else")
  func stochastic_1_02_2_01_2_07_4_01_4_02_4_03_reentrancy() async {
    await Workload.reentrancy.run(Reentrancy.perform)
  }
}

/// Every callback may publish, subscribe others, and cancel its neighbours.
enum Reentrancy {
  @Sendable static func perform(_ round: Round) async -> RoundResult {
    let stage = Stage()
    let scene = Scene(stage)
    var cast = await Crew.alone {
      var (random, cast) = (round.random(50), Cast())
      cast.add(Role(place: round.places[.background][0], face: .typed), to: stage)
      for index in 0..<40 {
        let role = index < 20 ? neighbour(index, &random, round) : Role.draw(&random)
        let reaction: DeliveryLog.Reaction = { scene.react(as: index, $0, $1) }
        if index % 4 == 3 {
          scene.addVictim(stage.join(role, by: 1, order: index, reaction: reaction))
        } else {
          cast.add(role, to: stage, reaction: reaction)
        }
      }
      return cast
    }
    let calls = await round.crew.run { index in
      var (random, caller) = (round.random(index), Caller(index + 1))
      for _ in 0..<30 { caller.publish(stage.publisher, &random) }
      return caller.calls
    }
    let (newcomers, victims) = await scene.end()
    cast.joined += newcomers
    var course = await cast.course(of: stage, calls: calls.flatMap { $0 }, others: victims)
    course.isPublishedByHammers = false
    course.calls += victims.flatMap(\.log.calls)
    return RoundResult(courses: [course])
  }

  /// Several to a lane.
  private static func neighbour(_ index: Int, _ random: inout SplitMix, _ round: Round) -> Role {
    let venue = [Venue.immediate, .serialQueue, .main, .concurrentQueue, .queueActor][index / 4]
    return Role(place: round.places[venue][0], face: venue == .main ? .mainTyped : .typed, policy: .draw(&random))
  }
}
