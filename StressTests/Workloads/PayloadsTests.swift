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
    var all = cast
    let others = await all.take(played.map(\.0))
    var result = RoundResult()
    // Whoever leaves may be the last to hold a payload, and a payload may publish: so this ends first.
    await stage.publisher.drain()
    for member in others { await member.cancelAndWait() }
    var version: UInt32
    repeat {
      version = stage.version &+ side.version
      await stage.publisher.drain()
      await side.publisher.drain()
    } while stage.version &+ side.version != version
    result.courses.append(await all.course(of: stage, calls: played.flatMap(\.1), others: others))
    // The current state is held, and all others are gone.
    stage.publisher.reset()
    await side.publisher.drain()
    result.violations = farewells.check()
    result.courses.append(await sideCast.course(of: side, calls: farewells.calls, others: farewells.newcomers))
    result.courses[1].isPublishedByHammers = false
    result.courses[1].count = nil
    return result
  }
}
