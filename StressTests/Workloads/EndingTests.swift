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

  /// Iterators are made, left, cancelled and released while states are published; the others see the publisher's end.
  @Test("tasks that iterate, and may leave at any time, miss neither a state nor the end")
  func stochastic_2_01_3_06_6_01_6_02_6_03_sequences() async {
    await Workload.sequences.run { round in
      let (holder, received) = (Guarded<PublisherUnderTest?>(PublisherUnderTest()), Countdown(1))
      let lateSequence = holder.value?.publisher.states(buffering: .latest)
      var subscribers = await Threads.alone {
        var (random, subscribers) = (round.random(50), Subscribers(of: holder.value))
        subscribers.addReference { _, number in if number == Self.last { received.arrive() } }
        for index in 0..<9 {
          subscribers.addReader(Interface.sequences[index % 3], index < 6 ? .unbounded : .draw(&random))
        }
        return subscribers
      }
      let (groups, played) = await round.play { _, random, caller in
        var group = Subscribers(of: holder.value)
        guard let tested = holder.value else { return group }
        for _ in 0..<40 {
          for _ in 0..<(1 + random.draw(8)) { caller.publish(tested.publisher, &random) }
          switch random.draw(5) {
          case 0, 1: group.read(&random, limit: 1 + random.draw(40))
          // An iterator that is never asked for a state.
          case 2: group.read(&random, limit: 0)
          case 3 where !group.ended.isEmpty: random.pick(group.ended).task?.cancel()
          default: _ = tested.publisher.states().makeAsyncIterator()
          }
        }
        return group
      }
      // Those that are still in their loop leave it.
      for reader in groups.flatMap(\.ended) { await reader.endTask() }
      var (history, last) = (History(), Caller(1_000))
      if let tested = holder.with({ $0.take() }) {
        history.count = (tested.publisher.subscriberCount, subscribers.live.count...subscribers.live.count)
        last.call(Self.last) { tested.publisher.updateData(Payload(number: Self.last)) }
        history.finalVersion = tested.version
      }
      (history.isEnded, history.calls) = (true, played + last.calls)
      _ = await received.wait()
      subscribers += groups
      history.subscriptions = await subscribers.finish(afterEnd: true)
      let result = RoundResult(histories: [history])
      var late = lateSequence?.makeAsyncIterator()
      let states = (await late?.next(), await late?.next())
      let isLast = states.0?.value?.number == Self.last && states.1 == nil
      result.findings.expect(isLast, "6.03", "a late iterator got no last state")
      return result
    }
  }
}
