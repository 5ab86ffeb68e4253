import SubPub
import Testing

extension StressTests {
  @Test("any number of tasks iterate, leave when they like, and miss neither a state nor the end")
  func stochastic_2_01_3_06_6_01_6_02_6_03_sequences() async { await Workload.sequences.run(Sequences.perform) }
}

/// Iterators are made, left, cancelled and let go of while states are published; the rest see the publisher's end.
enum Sequences {
  @Sendable static func perform(_ round: Round) async -> RoundResult {
    let holder = Guarded<Stage?>(Stage())
    let late = LateReader()
    let cast = await Crew.alone {
      var (random, cast) = (round.random(50), Cast())
      guard let stage = holder.with({ $0 }) else { return cast }
      late.sequence.with { $0 = stage.publisher.states(buffering: .latest) }
      // Tells everyone's versions, and stays.
      cast.add(Role(place: round.places[.background][0], face: .typed), to: stage, reaction: late.watch)
      for index in 0..<8 {
        let policy = index < 4 ? BufferingPolicy.unbounded : .draw(&random)
        cast.addReader(index % 2 == 0 ? .states : .values, policy, of: stage)
      }
      return cast
    }
    let played = await round.crew.run { index in
      var (random, caller, readers) = (round.random(index), Caller(index + 1), [Reader]())
      guard let stage = holder.with({ $0 }) else { return ([Reader](), [Call]()) }
      for order in 0..<40 {
        for _ in 0..<(1 + random.draw(8)) { caller.publish(stage.publisher, &random) }
        let face = random.draw(2) == 0 ? Face.states : .values
        switch random.draw(5) {
        case 0, 1:
          let limit = 1 + random.draw(40)
          readers.append(
            Reader(face, .draw(&random), of: stage, by: index + 1, order: order, limit: limit))
        // Never asked for a state.
        case 2: readers.append(Reader(face, .draw(&random), of: stage, by: index + 1, order: order, limit: 0))
        case 3 where !readers.isEmpty: readers[random.draw(readers.count)].task.cancel()
        default: _ = stage.publisher.states().makeAsyncIterator()
        }
      }
      return (readers, caller.calls)
    }
    return await finish(cast, played.flatMap(\.0), played.flatMap(\.1), holder, late)
  }

  private static func finish(
    _ cast: Cast, _ readers: [Reader], _ calls: [Call], _ holder: Guarded<Stage?>, _ late: LateReader
  ) async -> RoundResult {
    // Those in the middle of a loop leave it.
    for reader in readers {
      reader.task.cancel()
      await reader.task.value
    }
    var course = Course()
    (course.isEnded, course.calls) = (true, calls)
    course.finalVersion = await close(holder, expecting: 1 + cast.readers.count, &course)
    for joined in cast.joined {
      _ = await late.told.wait()
      await joined.member.cancelAndWait()
      joined.member.note { $0.hasEndedOtherwise = true }
    }
    course.histories = await cast.settle(others: readers.map(\.member), endsReaders: false)
    var result = RoundResult(courses: [course])
    if await !late.readsTheLast() {
      result.violations = [Violation(rule: "6.03", text: "a late iterator got no last state")]
    }
    return result
  }

  /// Publishes the last state, counts who is left, and lets go of the publisher.
  private static func close(_ holder: Guarded<Stage?>, expecting count: Int, _ course: inout Course) async -> UInt32 {
    guard let stage = holder.with({ $0.take() }) else { return 0 }
    course.count = (stage.publisher.subscriberCount, count...count)
    let (_, span) = Span.of { stage.publisher.updateData(Payload(number: LateReader.last)) }
    course.calls.append(Call(span: span, number: LateReader.last, isTransition: true))
    return stage.version
  }
}

/// Reads the last state after the publisher's end.
private final class LateReader: Sendable {
  static let last = Number.make(caller: 1_000, count: 1)
  let sequence = Guarded<StateSequence<Payload>?>(nil)
  let told = Countdown(1)

  var watch: DeliveryLog.Reaction {
    { [told] _, number in if number == Self.last { told.arrive() } }
  }

  func readsTheLast() async -> Bool {
    guard let states = sequence.with({ $0.take() }) else { return false }
    var iterator = states.makeAsyncIterator()
    guard let state = await iterator.next(), state.value?.number == Self.last else { return false }
    return await iterator.next() == nil
  }
}
