#if DEBUG
  import SubPubTesting
  import Testing

  @testable import SubPub

  @Suite("The turn of a publish looks for laggards only where something is pending")
  struct LaggardTests {
    @Test("however many subscriptions a lane has that keep up, none of them is looked at")
    func required_2_11_1_05_idle() {
      let (publisher, recorder) = (Publisher<Int>(), Recorder<Int>())
      let subscription = publisher.subscribe(recorder, on: .immediate, buffering: .ending(3))
      let lane = subscription.lane
      // Its gate is where it was, so whoever looks there takes it for a laggard.
      let new = QueuedState(publisher.current, version: 100)
      var (first, found): (UInt64, [Subscription]) = (0, [])
      publisher.registry.turn { _ in first = lane.findLaggards(before: new, &found) }
      #expect((first, found.count) == (103, 0))
      publisher.registry.turn { _ in
        lane.inTurn.pending.append(new)
        first = lane.findLaggards(before: new, &found)
        _ = lane.inTurn.pending.popFirst()
      }
      #expect((first, found) == (.max, [subscription]))
      subscription.cancel()
      found = []
      publisher.registry.turn { _ in first = lane.findLaggards(before: new, &found) }
      #expect((first, found.count) == (.max, 0))
    }
  }
#endif
