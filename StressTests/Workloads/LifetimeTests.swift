import SubPub
import Testing

extension StressTests {
  @Test("nothing is delivered to the dead, and nobody is kept alive")
  func stochastic_2_05_3_01_3_05_lifetime() async { await Workload.lifetime.run(Lifetime.perform) }
}

/// Subscribers, and actors that are contexts, die while they are published to.
enum Lifetime {
  private static let generations = 30

  @Sendable static func perform(_ round: Round) async -> RoundResult {
    let (stage, deaths) = (Stage(), Countdown())
    var cast = Cast()
    cast.add(Role(place: round.places[.background][0], face: .typed), to: stage)
    let played = await round.crew.run { index in
      var (random, caller) = (round.random(index), Caller(index + 1))
      var troupe = Troupe(stage, joiner: index + 1)
      var gone: [Member] = []
      for _ in 0..<generations {
        for _ in 0..<8 { troupe.join(.draw(&random)) }
        if random.draw(2) == 0 { gone += [leave(stage, &random, by: 100 + index, order: gone.count)] }
        gone += [outlive(stage, deaths, by: 200 + index, order: gone.count)]
        for _ in 0..<(2 + random.draw(12)) { caller.publish(stage.publisher, &random) }
        for _ in 0..<(random.draw(3) == 0 ? 8 : 6) {
          troupe.release(&random)
          if random.draw(4) == 0 { caller.publish(stage.publisher, &random) }
        }
      }
      return (troupe, caller.calls, gone)
    }
    let others = await cast.take(played.map(\.0)) + played.flatMap(\.2)
    var result = RoundResult(courses: [await cast.course(of: stage, calls: played.flatMap(\.1), others: others)])
    if await !deaths.wait() { result.violations = [Violation(rule: "2.05", text: "somebody holds an actor")] }
    return result
  }

  /// One who unsubscribes in its `deinit`, which is soon.
  private static func leave(_ stage: Stage, _ random: inout SplitMix, by joiner: Int, order: Int) -> Member {
    let place = Places.shared.draw(random.pick([.background, .serialQueue, .concurrentQueue, .immediate]), &random)
    let log = DeliveryLog(at: place)
    let earliest = stage.version
    let subscriber = LeavingWitness(log, stage)
    let (subscription, span) = Span.of { stage.publisher.subscribe(subscriber, on: place.context ?? .background) }
    let member = Member(
      Role(place: place, face: .typed), log, subscription, joining: span, by: joiner, order: order,
      replay: earliest...max(earliest, stage.version))
    member.release()
    return member
  }

  /// One whose actor dies, and which itself lives on a little.
  private static func outlive(_ stage: Stage, _ deaths: Countdown, by joiner: Int, order: Int) -> Member {
    let obituary = Obituary(deaths)
    let member: Member
    do {
      let host: any Actor = order % 2 == 0 ? MortalHost(obituary) : MortalQueueHost(obituary)
      let place = Place(.actor, .actor(host))
      let joined = stage.join(Role(place: place, face: .typed), by: joiner, order: order)
      member = joined.member
      obituary.watch(member, joined.subscriber)
    }
    member.note { $0.hasEndedOtherwise = true }
    return member
  }
}
