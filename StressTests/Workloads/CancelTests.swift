import Dispatch
import SubPub
import Testing

extension StressTests {
  @Test("a cancel says what it found, and means it")
  func stochastic_2_06_3_01_3_02_3_03_3_04_cancel() async { await Workload.cancel.run(Cancelling.perform) }
}

/// Several threads cancel the same subscriptions, from everywhere, while they are delivered to.
enum Cancelling {
  private static let steps = 50

  @Sendable static func perform(_ round: Round) async -> RoundResult {
    let stage = Stage()
    var cast = Cast()
    cast.add(Role(place: round.places[.background][0], face: .typed), to: stage)
    let targets = Targets()
    let pending = DispatchGroup()
    let played = await round.crew.run { index in
      var (random, caller) = (round.random(index), Caller(index + 1))
      for order in 0..<steps {
        let target = Target(stage, &random, by: index + 1, order: order)
        targets.add(target)
        for _ in 0..<(1 + random.draw(6)) { caller.publish(stage.publisher, &random) }
        for _ in 0..<2 { targets.draw(&random)?.cancel(&random, pending) }
        if order % 4 == 1 {
          targets.keep(Captive.cancel(of: stage, &random, by: 100 + index, order: order))
        }
        if order % 8 == 0 {
          targets.keep(Successor.replace(stage, &random, by: 200 + index, order: order, caller: &caller))
        }
      }
      return caller.calls
    }
    // What was put on queues and actors.
    await withCheckedContinuation { done in pending.notify(queue: .global()) { done.resume() } }
    var result = RoundResult(courses: [
      await cast.course(of: stage, calls: played.flatMap { $0 }, others: targets.members)
    ])
    // Those that nobody has drawn are alive.
    result.courses[0].count = nil
    return result
  }
}
