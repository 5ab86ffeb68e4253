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
        if order % 8 == 0 { replace(stage, &random, targets, by: index + 1, order: order, caller: &caller) }
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

  /// The same object subscribes again and again, elsewhere: it is never called twice at once.
  private static func replace(
    _ stage: Stage, _ random: inout SplitMix, _ targets: Targets, by joiner: Int, order: Int, caller: inout Caller
  ) {
    let log = DeliveryLog(at: Place(.task, nil)) { _, number in Pause.short(number) }
    let subscriber = TypedWitness(log)
    var delivery = [Delivery.background, .immediate, .main] + Places.shared[.serialQueue].compactMap(\.delivery)
    var last: Subscription?
    let begin = Stamp.now()
    let replacements = 6
    for _ in 0...replacements {
      delivery.append(delivery.remove(at: random.draw(delivery.count - 1)))
      last = stage.publisher.subscribe(subscriber, on: delivery[delivery.count - 1], ifDuplicate: .replace)
      for _ in 0..<2 { caller.publish(stage.publisher, &random) }
    }
    let member = Member(
      Role(place: log.place, face: .typed), log, last, joining: Span(begin: begin, end: Stamp.now()), by: joiner,
      order: 1_000 + order, replay: 0...UInt32.max)
    member.note { $0.replacements = replacements }
    targets.keep(Stage.Joined(member: member, subscriber: subscriber))
  }
}
