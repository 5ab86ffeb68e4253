import Testing

extension StressTests {
  /// The last number, published by the thread that releases the publisher.
  private static let last = Number.make(caller: 1_000, count: 1)

  /// Publishers are released while states are pending, and other threads cancel and release subscribers.
  @Test("a released publisher still delivers all pending states, and the last one to everyone")
  func stochastic_2_04_3_06_6_03_endings() async {
    await Workload.endings.run { round in
      var result = RoundResult()
      for part in 0..<8 {
        let (holder, served) = (Guarded<PublisherUnderTest?>(PublisherUnderTest()), Countdown())
        let subscribers = await Threads.alone {
          var (random, subscribers) = (round.random(1_000 + part), Subscribers(of: holder.value))
          let reaction: RecordedSubscription.Reaction = { _, number in if number == Self.last { served.arrive() } }
          for _ in 0..<12 { subscribers.add(.draw(&random)) }
          (subscribers.live, subscribers.ended) = ([], subscribers.live)
          subscribers.addReference(reaction: reaction)
          for _ in 0..<20 { subscribers.add(.draw(&random), reaction: reaction) }
          served.expect(subscribers.live.count)
          for interface in Interface.sequences { subscribers.addReader(interface, .draw(&random)) }
          return subscribers
        }
        let victims = Guarded(subscribers.ended)
        let (_, calls) = await round.play { index, _, caller in
          var random = round.random(2_000 + 100 * part + index)
          if index == 0, let tested = holder.with({ $0.take() }) {
            for _ in 0..<(10 + random.draw(30)) { caller.publish(tested.publisher, &random) }
            return caller.call(Self.last) { tested.publisher.updateData(Payload(number: Self.last)) }
          }
          while let victim = victims.with({ $0.popLast() }) {
            victim.readStatistics()
            victim.mayEnd()
            if random.draw(2) == 0 { victim.cancel() } else { victim.release() }
            victim.drop()
          }
        }
        // If one misses the last state, the wait fails, and the checker says which.
        let isComplete = await served.wait()
        var history = History()
        (history.calls, history.isEnded, history.finalVersion) = (calls, true, UInt32(calls.count))
        history.subscriptions = await subscribers.finish(afterEnd: true)
        result.histories.append(history)
        if !isComplete { break }
      }
      return result
    }
  }
}
