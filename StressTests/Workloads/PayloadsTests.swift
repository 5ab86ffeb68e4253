import SubPub
import Synchronization
import Testing

extension StressTests {
  @Test("payloads whose deinit calls the library find no lock held, and none is kept")
  func stochastic_1_04_3_05_payloads() async { await Workload.payloads.run(Payloads.perform) }
}

/// Payloads publish, read, cancel, subscribe and unsubscribe when they are let go of, wherever that is.
enum Payloads {
  @Sendable static func perform(_ round: Round) async -> RoundResult {
    let (stage, side) = (Stage(), Stage())
    let farewells = Farewells(stage, side)
    let (cast, sideCast) = await Crew.alone {
      var (random, cast, sideCast) = (round.random(50), Cast(), Cast())
      cast.add(Role(place: round.places[.background][0], face: .typed), to: stage)
      sideCast.add(Role(place: round.places[.serialQueue][0], face: .typed), to: side)
      for _ in 0..<12 { cast.add(.draw(&random), to: stage) }
      for _ in 0..<12 { sideCast.add(.draw(&random), to: side) }
      return (cast, sideCast)
    }
    let played = await round.crew.run { index in
      var (random, caller, troupe) = (round.random(index), Caller(index + 1), Troupe(stage, joiner: index + 1))
      for _ in 0..<120 {
        switch random.draw(8) {
        case 0: troupe.join(.draw(&random))
        case 1: troupe.cancel(&random)
        case 2: troupe.release(&random)
        default:
          let guest = farewells.guest(&random, victim: troupe.present.last?.member)
          caller.publish(stage.publisher, &random, guest: guest)
        }
      }
      return (troupe, caller.calls)
    }
    var (all, closing) = (cast, round.random(60))
    let others = await all.take(played.map(\.0))
    for member in others { await member.cancelAndWait() }
    // Displaces the last payload that has somebody; all the others go when they were delivered.
    var last = Caller(1_001)
    last.publish(stage.publisher, &closing)
    var result = RoundResult()
    if await !farewells.areDone() { result.violations = [Violation(rule: "3.05", text: "somebody keeps payloads")] }
    let calls = played.flatMap(\.1) + farewells.calls + last.calls
    result.courses = [
      await all.course(of: stage, calls: calls, others: others),
      await sideCast.course(of: side, calls: farewells.sideCalls, others: farewells.newcomers),
    ]
    // A payload may die anywhere, and publish there.
    for index in result.courses.indices { result.courses[index].isPublishedByHammers = false }
    // Who has joined in a farewell is alive.
    result.courses[1].count = nil
    return result
  }
}
