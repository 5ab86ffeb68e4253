import Dispatch
import SubPub
import Testing

extension StressTests {
  @Test("a flooded lane lets others on the same context have their turn")
  func stochastic_2_08_fairness() async { await Workload.fairness.run(Fairness.perform) }
}

/// Two publishers flood one serial context; a third has one state at a time for somebody there.
enum Fairness {
  private static let flood = 6_000
  private static let others = 12
  /// A drain hands back after 256 deliveries; each flooding lane may have been about to begin, and come once more.
  private static let allowance = 4 * 256

  @Sendable static func perform(_ round: Round) async -> RoundResult {
    var random = round.random(50)
    let venue = random.pick([Venue.serialQueue, .queueExecutor, .queueActor, .main, .actor])
    let place = round.places.draw(venue, &random)
    let face: Face = venue == .main ? .mainTyped : .typed
    let (floods, quiet) = ([Stage(), Stage()], Stage())
    let arrived = DispatchSemaphore(value: 0)
    var casts = [Cast(), Cast(), Cast()]
    for (index, stage) in floods.enumerated() { casts[index].add(Role(place: place, face: face), to: stage) }
    casts[2].add(Role(place: place, face: face), to: quiet) { _, number in if number != 0 { arrived.signal() } }
    let calls = await Crew(size: 3).run { index in
      var (random, caller) = (round.random(index), Caller(index + 1))
      if index < 2 {
        for _ in 0..<flood { caller.publish(floods[index].publisher, &random) }
      } else {
        for _ in 0..<others {
          caller.publish(quiet.publisher, &random)
          guard arrived.wait(timeout: .now() + .seconds(60)) == .success else { break }
        }
      }
      return caller.calls
    }
    var result = RoundResult()
    for (index, stage) in (floods + [quiet]).enumerated() {
      result.courses.append(await casts[index].course(of: stage, calls: calls[index]))
    }
    result.floods = [measure(result.courses)]
    return result
  }

  private static func measure(_ courses: [Course]) -> Flood {
    var flood = Flood()
    flood.allowance = allowance
    flood.begins = courses[0...1].flatMap { $0.histories[0].deliveries.map(\.begin) }
    // The first is the replay.
    let delivered = courses[2].histories[0].deliveries.dropFirst()
    flood.others = zip(courses[2].calls, delivered).map { Span(begin: $0.span.end, end: $1.begin) }
    return flood
  }
}
