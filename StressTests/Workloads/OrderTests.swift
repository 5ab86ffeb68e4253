import Testing

extension StressTests {
  /// Subscribers of all kinds stay, and threads publish in bursts.
  ///
  /// At the first publisher each state tells which transition made it, at the second one every transition is made.
  @Test("all subscribers see one order, on their contexts, without overlap, up to the last state")
  func stochastic_1_01_1_02_1_03_2_02_2_03_2_07_2_09_4_01_5_01_order() async {
    await Workload.order.run { round in
      let (first, second) = (PublisherUnderTest(), PublisherUnderTest())
      let subscribers = await Subscribers.all(of: first, in: round, withVersions: false)
      let withVersions = await Subscribers.all(of: second, in: round, withVersions: true)
      let delegates = MulticastDelegate<any CallReceiver>()
      let mainDelegates = MainActorMulticastDelegate<any MainCallReceiver>()
      var (added, addedOnMain) = (Subscribers(of: nil), Subscribers(of: nil))
      added.live = await Threads.alone {
        Places.all.flatMap { place in
          (0..<(place.kind.isShared ? 4 : 2)).map { _ in
            Self.delegate(at: place, .multicast, { PlainRecorder($0) }) { delegates.add($0, on: place.context) }
          }
        }
      }
      addedOnMain.live = await MainActor.run {
        (0..<40).map { _ in
          Self.delegate(at: Places.main, .mainMulticast, MainRecorder.init) { mainDelegates.add($0) }
        }
      }
      let calls = await round.threads.run { index in
        var random = round.random(index)
        var callers = (0..<4).map { _ in Caller(index + 1) }
        for _ in 0..<12 {
          let choice = random.draw(8)
          for _ in 0..<1 + random.draw(16) {
            switch choice {
            case 0...4: callers[0].publish(first.publisher, &random)
            case 5, 6: callers[1].publishAny(second.publisher, &random)
            default:
              let (number, mainNumber) = (callers[2].number(), callers[3].number())
              callers[2].call(number) { delegates.call { $0.called(number) } }
              callers[3].call(mainNumber) { mainDelegates.call { $0.called(mainNumber) } }
            }
          }
        }
        return callers.map(\.calls)
      }
      func called(_ which: Int) -> [Call] { calls.flatMap { $0[which] } }
      var result = RoundResult(histories: [
        await subscribers.history(of: first, calls: called(0)),
        await withVersions.history(of: second, calls: called(1)), History(), History(),
      ])
      await delegates.drain()
      await mainDelegates.drain()
      for (index, group) in [added, addedOnMain].enumerated() {
        result.histories[2 + index].calls = called(2 + index)
        result.histories[2 + index].subscriptions = await group.finish()
      }
      return result
    }
  }

  /// Adds a delegate, to which calls are passed on without a state and without a replay.
  private static func delegate<R: AnyObject & Sendable>(
    at place: Place, _ interface: Interface, _ make: (RecordedSubscription) -> R, _ add: (R) -> Subscription
  ) -> RecordedSubscription {
    let recorded = RecordedSubscription(SubscriptionKind(at: place, interface))
    let recorder = make(recorded)
    let (subscription, span) = Span.of { add(recorder) }
    recorded.begin(span, replay: nil, (recorder, subscription))
    return recorded
  }
}
