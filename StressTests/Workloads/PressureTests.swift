import Dispatch
import Testing

extension StressTests {
  /// More states than the buffers hold, for contexts that are suspended until the last state, and for slow ones.
  @Test("bounds are exact, skipped states are counted, and the oldest are skipped")
  func stochastic_1_03_2_04_overflow() async {
    await Workload.overflow.run { round in
      let (held, slow) = (PublisherUnderTest(), PublisherUnderTest())
      let places = [Place(.queue), Place(.concurrentQueue), Place(.independentQueue), .serialExecutor()]
      for place in places { place.queue?.suspend() }
      let (heldSubscribers, slowSubscribers) = await Threads.alone { () -> (Subscribers, Subscribers) in
        var (random, ofHeld, ofSlow) = (round.random(50), Subscribers(of: held), Subscribers(of: slow))
        ofHeld.add(SubscriptionKind(at: places[0]))
        for place in places {
          for interface in Interface.anywhere {
            ofHeld.add(SubscriptionKind(at: place, interface, .draw(&random, largest: 64)))
          }
        }
        ofSlow.addReference()
        for _ in 0..<24 {
          let kind = SubscriptionKind.draw(&random)
          let reaction: RecordedSubscription.Reaction = { _, number in BusyWait.short(number) }
          ofSlow.add(kind, reaction: kind.context == .immediate ? nil : reaction)
        }
        return (ofHeld, ofSlow)
      }
      let calls = await round.threads.run { index -> [[Call]] in
        var (random, callers) = (round.random(index), [Caller(index + 1), Caller(index + 1)])
        for _ in 0..<60 {
          for _ in 0..<random.draw(3) { callers[0].publish(held.publisher, &random) }
          for _ in 0..<random.draw(10) { callers[1].publish(slow.publisher, &random) }
          for subscribers in [slowSubscribers, heldSubscribers] { subscribers.readStatistics(&random) }
        }
        return callers.map(\.calls)
      }
      for place in places { place.queue?.resume() }
      var history = await heldSubscribers.history(of: held, calls: calls.flatMap { $0[0] })
      for index in history.subscriptions.indices { history.subscriptions[index].isHeld = true }
      return RoundResult(histories: [history, await slowSubscribers.history(of: slow, calls: calls.flatMap { $0[1] })])
    }
  }

  /// Two publishers flood one serial context; others have one state each for a subscriber there, one after the other.
  ///
  /// Each of those has a lane of its own. A lane that has served several states may use up its time slice, if the
  /// system has suspended its thread, and hand back; on a default actor it then has to pass through the global queue,
  /// where the system may suspend it again.
  @Test("a flooded lane lets other lanes on the same context have their turn")
  func stochastic_2_08_fairness() async {
    await Workload.fairness.run { round in
      var random = round.random(50)
      let place = random.pick(Places.all.filter(\.isExclusive))
      let kind = SubscriptionKind(at: place, place.kind == .main ? .mainTyped : .typed)
      let (floods, arrived) = (2, DispatchSemaphore(value: 0))
      let all = (0..<floods + 12).map { _ in PublisherUnderTest() }
      let subscribers = all.enumerated().map { index, tested -> Subscribers in
        var subscribers = Subscribers(of: tested)
        let reaction: RecordedSubscription.Reaction = { _, number in if number != 0 { arrived.signal() } }
        subscribers.add(kind, reaction: index < floods ? nil : reaction)
        return subscribers
      }
      let calls = await Threads(count: floods + 1).run { index -> [[Call]] in
        var (random, hasArrived) = (round.random(index), true)
        return (index < floods ? all[index...index] : all[floods...]).map { tested -> [Call] in
          var caller = Caller(index + 1)
          guard index == floods else {
            for _ in 0..<6_000 { caller.publish(tested.publisher, &random) }
            return caller.calls
          }
          if hasArrived {
            caller.publish(tested.publisher, &random)
            hasArrived = arrived.wait(timeout: .now() + .seconds(60)) == .success
          }
          return caller.calls
        }
      }.flatMap(\.self)
      var result = RoundResult()
      for (index, tested) in all.enumerated() {
        result.histories.append(await subscribers[index].history(of: tested, calls: calls[index]))
      }
      let deliveries = result.histories.map { $0.subscriptions[0].deliveries }
      let waits = zip(result.histories, deliveries).dropFirst(floods).flatMap { history, deliveries in
        // The first delivery is the replay.
        zip(history.calls, deliveries.dropFirst()).map { Span(begin: $0.span.end, end: $1.begin) }
      }
      let most = Self.mostDeliveries(deliveries[..<floods].flatMap { $0.map(\.begin) }, in: waits)
      // A lane hands back after 256 deliveries; each flooding lane may have been about to begin, and get one more turn.
      result.findings.expect(most <= 4 * 256, "2.08", "\(most) deliveries of a flood came first")
      return result
    }
  }

  /// How many deliveries of a flood began while another lane waited: in deliveries and not in time.
  static func mostDeliveries(_ begins: [UInt64], in waits: [Span]) -> Int {
    waits.map { wait in begins.count { $0 >= wait.begin && $0 < wait.end } }.max() ?? 0
  }
}
