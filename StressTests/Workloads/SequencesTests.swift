import SubPub
import SubPubTesting
import Support
import Testing

extension StressTests {
  @Test("tasks that iterate, and may leave at any time, miss neither a state nor the end")
  func stochastic_2_01_3_06_6_01_6_02_6_03_sequences() async { await Workload.sequences.run(Sequences.perform) }
}

/// Iterators are made, left, cancelled and released while states are published; the others see the publisher's end.
enum Sequences {
  @Sendable static func perform(_ round: Round) async -> RoundResult {
    let holder = Guarded<PublisherUnderTest?>(PublisherUnderTest())
    let late = LateReader()
    let subscribers = await ThreadGroup.alone {
      var (random, subscribers) = (round.random(50), Subscribers())
      guard let tested = holder.with({ $0 }) else { return subscribers }
      late.sequence.with { $0 = tested.publisher.states(buffering: .latest) }
      subscribers.addReference(to: tested, reaction: late.watch)
      for index in 0..<9 {
        let policy = index < 6 ? BufferingPolicy.unbounded : .draw(&random)
        subscribers.addReader(SequenceReader.interfaces[index % 3], policy, of: tested)
      }
      return subscribers
    }
    let played = await round.threads.run { index in
      var (random, caller, readers) = (round.random(index), Caller(index + 1), [SequenceReader]())
      guard let tested = holder.with({ $0 }) else { return ([SequenceReader](), [Call]()) }
      for order in 0..<40 {
        for _ in 0..<(1 + random.draw(8)) { caller.publish(tested.publisher, &random) }
        let choice = random.draw(5)
        switch choice {
        case 0...2:
          // The limit 0 makes an iterator that is never asked for a state.
          let (interface, limit) = (random.pick(SequenceReader.interfaces), choice == 2 ? 0 : 1 + random.draw(40))
          readers.append(
            SequenceReader(interface, .draw(&random), of: tested, by: index + 1, order: order, limit: limit))
        case 3 where !readers.isEmpty: random.pick(readers).task.cancel()
        default: _ = tested.publisher.states().makeAsyncIterator()
        }
      }
      return (readers, caller.calls)
    }
    return await finish(subscribers, played.flatMap(\.0), played.flatMap(\.1), holder, late)
  }

  private static func finish(
    _ subscribers: Subscribers, _ readers: [SequenceReader], _ calls: [Call], _ holder: Guarded<PublisherUnderTest?>,
    _ late: LateReader
  ) async -> RoundResult {
    // Those that are still in their loop leave it.
    for reader in readers {
      reader.task.cancel()
      await reader.task.value
    }
    var history = History()
    (history.isEnded, history.calls) = (true, calls)
    history.finalVersion = await close(holder, expecting: 1 + subscribers.readers.count, &history)
    for subscriber in subscribers.live {
      _ = await late.received.wait()
      await subscriber.subscription.cancelAndWait()
    }
    history.subscriptions = await subscribers.finish(others: readers.map(\.subscription), cancelsReaders: false)
    var result = RoundResult(histories: [history])
    if await !late.readsTheLast() {
      result.violations = [Violation(rule: "6.03", text: "a late iterator got no last state")]
    }
    return result
  }

  /// Publishes the last state, counts the subscribers, and releases the publisher.
  private static func close(
    _ holder: Guarded<PublisherUnderTest?>, expecting count: Int, _ history: inout History
  ) async -> UInt32 {
    guard let tested = holder.with({ $0.take() }) else { return 0 }
    history.count = (tested.publisher.subscriberCount, count...count)
    let (_, span) = Span.of { tested.publisher.updateData(Payload(number: LateReader.last)) }
    history.calls.append(Call(span: span, number: LateReader.last))
    return tested.version
  }
}

/// Reads the last state after the publisher's end.
private final class LateReader: Sendable {
  static let last = Number.make(caller: 1_000, count: 1)
  let sequence = Guarded<StateSequence<Payload>?>(nil)
  let received = Countdown(1)

  var watch: DeliveryLog.Reaction {
    { [received] _, number in if number == Self.last { received.arrive() } }
  }

  func readsTheLast() async -> Bool {
    guard let states = sequence.with({ $0.take() }) else { return false }
    var iterator = states.makeAsyncIterator()
    guard let state = await iterator.next(), state.value?.number == Self.last else { return false }
    return await iterator.next() == nil
  }
}
