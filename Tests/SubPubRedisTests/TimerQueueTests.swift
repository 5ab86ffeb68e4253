#if Redis && DEBUG
  @testable import SubPubRedis
  import Testing

  @Suite("The timers of a loop")
  struct TimerQueueTests {
    private final class Timer: LoopTimer {
      func fire() {}
    }

    private let start = Moment.now
    private let timers = (0..<4).map { _ in Timer() }

    private func at(_ seconds: Double) -> Moment { start + .seconds(seconds) }

    @Test("timers fire in the order of their times, each once, and at the time that was set last")
    func required_8_10_order() {
      var queue = TimerQueue()
      let areFirst = [2, 3, 1, 1].enumerated().map { queue.set(timers[$0], to: at(Double($1))) }
      #expect(areFirst == [true, false, true, false])
      _ = queue.set(timers[3], to: at(4))
      _ = queue.set(timers[0], to: at(3.5))
      let due = [0.5, 3, 10].map { queue.takeDue(at: at($0)).map { timer in timers.firstIndex { $0 === timer } } }
      #expect(due == [[], [2, 1], [0, 3]])
      #expect(queue.isEmpty && queue.first == nil)
    }

    @Test("a timer that is set anew, or to no time, is kept no longer than it has to be")
    func required_8_10_released() {
      var queue = TimerQueue()
      weak var kept: Timer?
      do {
        let timer = Timer()
        kept = timer
        for time in [at(1), at(1), at(2), nil, at(1)] { _ = queue.set(timer, to: time) }
        _ = queue.set(timers[0], to: at(1))
      }
      #expect(kept != nil)
      if let kept { _ = queue.set(kept, to: nil) }
      #expect(kept == nil)
      #expect(queue.takeDue(at: at(3)).count == 1)
    }

    @Test("a time that no clock can count is as good as a hundred years")
    func required_7_02_longTimes() {
      let (late, later) = (start + .seconds(Int64.max), start + Duration(attoseconds: .max))
      #expect(late > at(1_000_000_000) && later == late && late + .seconds(Int64.max) > late)
    }

    @Test("what doesn't count any more ends no wait")
    func required_8_10_outdated() {
      var queue = TimerQueue()
      for seconds in 1...5 { _ = queue.set(timers[0], to: at(Double(seconds))) }
      _ = queue.set(timers[0], to: nil)
      #expect(queue.isEmpty && queue.first == nil)
      let isFirst = queue.set(timers[1], to: at(9))
      let counts = [8.0, 9].map { queue.takeDue(at: at($0)).count }
      #expect(isFirst && counts == [0, 1])
    }
  }
#endif
