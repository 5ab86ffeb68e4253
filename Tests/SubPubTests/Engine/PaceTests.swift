#if DEBUG
  import SubPub
  import SubPubTesting
  import Support
  import Testing

  @testable import SubPub

  @Suite("A pace leaves nothing behind")
  struct PaceTests {
    private let deaths = Deaths()

    private func wait(_ pace: Pace?, for time: Duration = .seconds(3_600)) {
      let token = deaths.makeToken()
      pace?.wait(for: time) { withExtendedLifetime(token) {} }
    }

    @Test("the timer of a wait that nobody needs any more is released", arguments: [false, true])
    func required_2_12_3_05_released(hasClock: Bool) async throws {
      let pace = Pace(.seconds(3_600), hasClock ? ManualClock() : nil)
      for count in 0..<3 {
        wait(pace)
        // The wait takes the place of the one before.
        if count > 0 { try await deaths.wait(count: count) }
      }
      pace.end()
      try await deaths.wait(count: 3)
      // A thread that has served the lane may come later.
      wait(pace)
      #expect(deaths.count == 4)
    }

    @Test("the end of the subscription ends its pace, even if somebody still holds the subscription")
    func required_2_12_3_05_subscriptionKept() {
      let (publisher, executor, recorder) = (Publisher<Int>(), ManualExecutor(), Recorder<Int>())
      let subscription = publisher.subscribe(
        recorder, on: .executor(executor), buffering: .latest(every: .seconds(3_600)))
      executor.runAll()
      subscription.cancel()
      wait(subscription.lane.pace)
      #expect((recorder.states.count, deaths.count) == (1, 1))
    }

    @Test("a wait is never longer than it was meant to be, whatever a clock says")
    func required_2_12_left() {
      let second = Duration.seconds(1)
      for (elapsed, left) in [(-3_600, 1), (-1, 1), (0, 1), (1, 0), (3_600, 0)] {
        #expect(second.left(after: .seconds(elapsed)) == .seconds(left))
      }
      #expect(second.left(after: .milliseconds(400)) == .milliseconds(600))
    }

    @Test("a wait that is over begins the next one, even if its own thread is still beginning it", .hangLimit)
    func stochastic_1_03_2_12_nextWait() async throws {
      @Sendable func wait(_ left: Int, _ pace: Pace, _ ended: Event) {
        if left == 0 { return ended.happen() }
        pace.wait(for: .zero) { wait(left - 1, pace, ended) }
      }
      let ended = Event()
      let paces = (0..<8).map { _ in Pace(.zero, nil) }
      for pace in paces { wait(TestRounds.of(1_000, full: 20_000), pace, ended) }
      try await ended.wait(count: paces.count)
      for pace in paces { pace.end() }
    }
  }
#endif
