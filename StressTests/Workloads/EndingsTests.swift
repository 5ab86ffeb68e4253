import SubPub
import Testing

extension StressTests {
  @Test("a publisher that dies has delivered what was pending, the last state included")
  func stochastic_2_04_3_06_6_03_endings() async { await Workload.endings.run(Endings.perform) }
}

/// Publishers die with deliveries pending, while other threads cancel and let go of subscribers.
enum Endings {
  @Sendable static func perform(_ round: Round) async -> RoundResult {
    var result = RoundResult()
    for part in 0..<8 {
      // It keeps the publisher only until a thread takes it.
      let ending = await Crew.alone { Ending(round, part) }
      let calls = await round.crew.run { ending.play(on: $0) }
      // Whoever misses the last state is waited for; the checker says who.
      let isComplete = await ending.isServed()
      result.courses.append(await ending.course(calls: calls.flatMap { $0 }))
      if !isComplete { break }
    }
    return result
  }
}

/// One publisher's end.
private final class Ending: Sendable {
  private let seed: SplitMix
  private let stage: Guarded<Stage?>
  private let cast: Cast
  private let victims: [Member]
  private let shares: Guarded<[Stage.Joined]>
  private let served = Countdown()
  /// What is published last, by who releases the publisher.
  private static let last = Number.make(caller: 1_000, count: 1)

  init(_ round: Round, _ part: Int) {
    var random = round.random(1_000 + part)
    let stage = Stage()
    let reaction: DeliveryLog.Reaction = { [served] _, number in if number == Self.last { served.arrive() } }
    var cast = Cast()
    cast.add(Role(place: round.places[.background][0], face: .typed), to: stage, reaction: reaction)
    for _ in 0..<20 { cast.add(.draw(&random), to: stage, reaction: reaction) }
    served.expect(cast.joined.count)
    for index in 0..<4 { cast.addReader(index % 2 == 0 ? .states : .values, .draw(&random), of: stage) }
    let shared = (0..<12).map { stage.join(.draw(&random), by: 1, order: $0) }
    (self.stage, self.cast, seed) = (Guarded(stage), cast, random)
    (victims, shares) = (shared.map(\.member), Guarded(shared))
  }

  func play(on index: Int) -> [Call] {
    var random = seed
    for _ in 0...index { _ = random.next() }
    guard index == 0 else {
      while let joined = shares.with({ $0.popLast() }) { Self.end(joined, &random) }
      return []
    }
    guard let stage = stage.with({ $0.take() }) else { return [] }
    var caller = Caller(1)
    for _ in 0..<(10 + random.draw(30)) { caller.publish(stage.publisher, &random) }
    let (_, span) = Span.of { stage.publisher.updateData(Payload(number: Self.last)) }
    caller.note(Self.last, span)
    return caller.calls
  }

  private static func end(_ joined: Stage.Joined, _ random: inout SplitMix) {
    joined.member.read()
    joined.member.note { $0.hasEndedOtherwise = true }
    if random.draw(2) == 0 { joined.member.cancel() } else { joined.member.release() }
  }

  func isServed() async -> Bool { await served.wait() }

  func course(calls: [Call]) async -> Course {
    var course = Course()
    (course.calls, course.isEnded, course.finalVersion) = (calls, true, UInt32(calls.count))
    for joined in cast.joined {
      await joined.member.cancelAndWait()
      joined.member.note { $0.hasEndedOtherwise = true }
    }
    course.histories = await cast.settle(others: victims, endsReaders: false)
    return course
  }
}
