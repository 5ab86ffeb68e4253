import Testing

extension StressTests {
  /// Every callback may publish, subscribe others, and cancel its neighbors.
  @Test("publishing, subscribing and cancelling work the same inside a callback")
  func stochastic_1_02_2_01_2_07_4_01_4_02_4_03_reentrancy() async {
    await Workload.reentrancy.run { round in
      let tested = PublisherUnderTest()
      let (newSubscribers, victims) = (Guarded<[RecordedSubscription]>([]), Guarded<[RecordedSubscription]>([]))
      // The callback of the subscriber with that index, for the state with that number.
      @Sendable func react(_ index: Int, _ subscription: RecordedSubscription, _ number: UInt32) {
        var random = SeededGenerator(seed: UInt64(number) << 8 | UInt64(index))
        switch random.draw(24) {
        case 0...2 where subscription.calls.count < 8:
          let number = Number.make(caller: 100 + index, count: subscription.calls.count + 1)
          // Recorded first, because the call may lead back to here.
          subscription.calls.append(Call(span: Span(begin: Stamp.now(), end: .max), number: number))
          tested.publisher.updateData(Payload(number: number))
        case 3 where newSubscribers.value.count < 24:
          let new = tested.subscribe(.draw(&random))
          newSubscribers.with { $0.append(new) }
        case 4:
          let victims = victims.value
          guard !victims.isEmpty else { return }
          let victim = random.pick(victims)
          // A lane is busy with this very callback.
          let sharesLane = victim.kind.place.map { $0.kind.isShared && $0 === subscription.kind.place } ?? false
          victim.cancel(isOnOwnContext: sharesLane)
        default: break
        }
      }
      var subscribers = await Threads.alone {
        var (random, subscribers) = (round.random(50), Subscribers(of: tested))
        subscribers.addReference()
        for index in 0..<40 {
          var kind = SubscriptionKind.draw(&random)
          // Of half of them, four each share a lane.
          if index < 20 {
            let context = [ContextKind.immediate, .queue, .main, .concurrentQueue, .actorOnQueue][index / 4]
            kind = SubscriptionKind(at: Places[context][0], context == .main ? .mainTyped : .typed, kind.policy)
          }
          let reaction: RecordedSubscription.Reaction = { react(index, $0, $1) }
          if index % 4 == 3 {
            let victim = tested.subscribe(kind, reaction: reaction)
            subscribers.ended.append(victim)
            victims.with { $0.append(victim) }
          } else {
            subscribers.add(kind, reaction: reaction)
          }
        }
        return subscribers
      }
      let (_, calls) = await round.play { _, random, caller in
        for _ in 0..<30 { caller.publish(tested.publisher, &random) }
      }
      for victim in subscribers.ended {
        victim.cancel()
        await victim.cancelAndWait()
      }
      // Until no callback publishes.
      var version: UInt32
      repeat {
        version = tested.version
        await tested.publisher.drain()
      } while tested.version != version
      // Their callbacks hold the list.
      victims.with { $0 = [] }
      subscribers.live += newSubscribers.value
      var history = await subscribers.history(of: tested, calls: calls + subscribers.ended.flatMap(\.calls))
      history.isPublishedByTestThreads = false
      return RoundResult(histories: [history])
    }
  }
}
