import Dispatch
import SubPub
import Testing

extension StressTests {
  @Test("a flooded lane lets others on the same context have their turn")
  func stochastic_2_08_fairness() async { await Workload.fairness.run(Fairness.perform) }
}

/// Two publishers flood one serial context; others have one state each for somebody there, one after the other.
///
/// Each of those has a lane of its own. A lane that has served some may be out of time itself, if the system has left its
/// thread lying, and hand back; on a default actor it then has to come round by the global queue, where the system may
/// leave it lying again.
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
    let (floods, quiet) = ([Stage(), Stage()], (0..<others).map { _ in Stage() })
    let arrived = DispatchSemaphore(value: 0)
    var casts = (floods + quiet).map { _ in Cast() }
    for (index, stage) in floods.enumerated() { casts[index].add(Role(place: place, face: face), to: stage) }
    for (index, stage) in quiet.enumerated() {
      casts[floods.count + index].add(Role(place: place, face: face), to: stage) { _, number in
        if number != 0 { arrived.signal() }
      }
    }
    let calls = await Crew(size: 3).run { index in
      var random = round.random(index)
      guard index < floods.count else {
        var hasArrived = true
        return quiet.map { stage in
          var caller = Caller(index + 1)
          if hasArrived {
            caller.publish(stage.publisher, &random)
            hasArrived = arrived.wait(timeout: .now() + .seconds(60)) == .success
          }
          return caller.calls
        }
      }
      var caller = Caller(index + 1)
      for _ in 0..<flood { caller.publish(floods[index].publisher, &random) }
      return [caller.calls]
    }.flatMap(\.self)
    var result = RoundResult()
    for (index, stage) in (floods + quiet).enumerated() {
      result.courses.append(await casts[index].course(of: stage, calls: calls[index]))
    }
    result.floods = [measure(result.courses)]
    return result
  }

  private static func measure(_ courses: [Course]) -> Flood {
    var flood = Flood()
    flood.allowance = allowance
    flood.begins = courses[0...1].flatMap { $0.histories[0].deliveries.map(\.begin) }
    for course in courses.dropFirst(2) {
      // The first is the replay.
      let delivered = course.histories[0].deliveries.dropFirst()
      flood.others += zip(course.calls, delivered).map { Span(begin: $0.span.end, end: $1.begin) }
    }
    return flood
  }
}
