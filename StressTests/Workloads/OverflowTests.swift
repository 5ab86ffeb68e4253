import Dispatch
import SubPub
import Testing

extension StressTests {
  @Test("bounds are exact, what was skipped is counted, and the right end gives way")
  func stochastic_1_03_2_04_overflow() async { await Workload.overflow.run(Overflow.perform) }
}

/// More states than the buffers hold: to contexts that are held until the last, and to slow ones.
enum Overflow {
  @Sendable static func perform(_ round: Round) async -> RoundResult {
    let (held, slow) = (Stage(), Stage())
    let places = closedPlaces()
    let (heldCast, slowCast) = await Crew.alone { (castHeld(held, places, round), castSlow(slow, round)) }
    let (watched, watchedHeld) = (slowCast.joined.map(\.member), heldCast.joined.map(\.member))
    let calls = await round.crew.run { index -> ([Call], [Call]) in
      var (random, heldCaller, slowCaller) = (round.random(index), Caller(index + 1), Caller(index + 1))
      for _ in 0..<60 {
        for _ in 0..<random.draw(3) { heldCaller.publish(held.publisher, &random) }
        for _ in 0..<random.draw(10) { slowCaller.publish(slow.publisher, &random) }
        random.pick(watched).read()
        random.pick(watchedHeld).read()
      }
      return (heldCaller.calls, slowCaller.calls)
    }
    for place in places { place.queue?.resume() }
    var course = await heldCast.course(of: held, calls: calls.flatMap(\.0))
    for index in course.histories.indices { course.histories[index].isHeld = true }
    return RoundResult(courses: [course, await slowCast.course(of: slow, calls: calls.flatMap(\.1))])
  }

  private static func castHeld(_ stage: Stage, _ places: [Place], _ round: Round) -> Cast {
    var (random, cast) = (round.random(50), Cast())
    for place in places {
      for face in Face.anywhere {
        cast.add(Role(place: place, face: face, policy: .draw(&random, largest: 64)), to: stage)
      }
    }
    cast.add(Role(place: places[0], face: .typed), to: stage)
    return cast
  }

  private static func castSlow(_ stage: Stage, _ round: Round) -> Cast {
    var (random, cast) = (round.random(51), Cast())
    cast.add(Role(place: round.places[.background][0], face: .typed), to: stage)
    let reaction: DeliveryLog.Reaction = { _, number in Pause.short(number) }
    for _ in 0..<24 {
      let role = Role.draw(&random)
      cast.add(role, to: stage, reaction: role.place.venue == .immediate ? nil : reaction)
    }
    return cast
  }

  /// Contexts that run nothing yet.
  private static func closedPlaces() -> [Place] {
    let serial = DispatchQueue(label: "closed serial")
    let concurrent = DispatchQueue(label: "closed concurrent", attributes: .concurrent)
    let independent = DispatchQueue(label: "closed independent", attributes: .concurrent)
    let executor = QueueExecutor(label: "closed executor")
    let places = [
      Place(.serialQueue, .queue(serial), on: serial), Place(.concurrentQueue, .queue(concurrent), on: concurrent),
      Place(.independent, .queue(independent, independent: true), on: independent),
      Place(.queueExecutor, .executor(executor), on: executor.queue),
    ]
    for place in places { place.queue?.suspend() }
    return places
  }
}
