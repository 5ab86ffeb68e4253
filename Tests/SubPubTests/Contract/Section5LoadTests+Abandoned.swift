#if DEBUG
  import Dispatch
  import SubPub
  import SubPubTesting
  import Testing

  /// Each test runs in a process of its own, whose looks and messages it sees.
  @Suite("Debug builds say that nobody keeps a derived publisher, and only then", .hangLimit)
  struct AbandonmentTests {
    final class Log: Sendable {}
    typealias Looks = Locked<[@Sendable () -> Void]>

    /// Has looks wait until the test takes them, and has no publisher live too long for them.
    static func holdLooks(limit: Duration = .seconds(100_000)) -> Looks {
      let looks = Looks([])
      Abandonment.hooks.withLock { hooks in
        hooks.limit = limit
        hooks.later = { _, look in looks.withLock { $0.append(look) } }
      }
      return looks
    }

    /// The number of looks that were asked for since the last call, which happen now.
    static func take(_ looks: Looks) -> Int {
      let taken = looks.withLock { looks in
        defer { looks = [] }
        return looks
      }
      for look in taken { look() }
      return taken.count
    }

    static func lines(_ result: ExitTest.Result?) -> [Substring] {
      String(decoding: result?.standardErrorContent ?? [], as: UTF8.self).split(separator: "\n")
        .filter { $0.hasPrefix("SubPub:") }
    }

    @Test("it is said once, for every way to derive and to subscribe")
    func required_5_22_abandoned() async {
      let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
        let (looks, source, log) = (Self.holdLooks(), Publisher<Int>(initial: 1), Log())
        for _ in 0..<2 {
          source.map(label: "mapped") { $0 }.subscribe(log, on: .background) { _, _ in }
          #expect(Self.take(looks) == 1)
        }
        combining(source, source).subscribe(log, on: .immediate) { _, _ in }
        #expect(Self.take(looks) == 1)
        source.map(label: "read only") { $0 }.readOnly.subscribe(log, on: .background, label: "logger") { _, _ in }
        #expect(Self.take(looks) == 1)
        let observation = source.map(label: "observed") { $0 }.observe(on: .background) { _ in }
        #expect(Self.take(looks) == 1)
        withExtendedLifetime((observation, log)) {}
      }
      let lines = Self.lines(result)
      #expect(lines.count == 4)
      #expect(lines.first?.hasPrefix("SubPub: Log has subscribed to a derived publisher \"mapped\" that") == true)
      #expect(lines.contains { $0.contains("publisher of (Int, Int)") })
      #expect(lines.contains { $0.hasPrefix("SubPub: logger has subscribed to a derived publisher \"read only\"") })
    }

    @Test("nothing is said of a publisher that was kept, or has lived longer, or whose subscribers have ended")
    func required_5_22_notAbandoned() async {
      let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
        let (looks, source, log) = (Self.holdLooks(), Publisher<Int>(initial: 1), Log())
        // Nobody subscribes, or a loop that ends.
        _ = source.map { $0 }
        let iterator: PublisherSequence<Int, Int>.Iterator
        do {
          let derived = source.map { $0 }
          iterator = derived.values().makeAsyncIterator()
          withExtendedLifetime(derived) {}
        }
        // A chain that is kept.
        do {
          let kept = source.map { $0 }.map { $0 }
          kept.subscribe(log, on: .background) { _, _ in }
          source.updateData(2)
          withExtendedLifetime(kept) {}
        }
        // The subscription was cancelled.
        do {
          let derived = source.map { $0 }
          derived.subscribe(log, on: .background) { _, _ in }.cancel()
          withExtendedLifetime(derived) {}
        }
        // Another thread releases it.
        let passed = Locked<ReadOnlyPublisher<Int>?>(source.map { $0 })
        passed.withLock { $0 }?.subscribe(log, on: .background) { _, _ in }
        await withCheckedContinuation { done in
          DispatchQueue(label: "other").async {
            passed.withLock { $0 = nil }
            done.resume()
          }
        }
        #expect(Self.take(looks) == 0)
        // The subscription is cancelled a moment later; or the subscriber and the observation die.
        let executor = ManualExecutor()
        let pending = source.map { $0 }.subscribe(log, on: .executor(executor)) { _, _ in }
        pending.cancel()
        executor.runAll()
        source.map { $0 }.subscribe(Log(), on: .immediate) { _, _ in }
        do {
          let (log, derived) = (Log(), source.map { $0 })
          let observation = derived.observe(on: .immediate) { _ in }
          derived.subscribe(log, on: .immediate) { _, _ in }
          withExtendedLifetime((observation, log)) {}
        }
        _ = Self.take(looks)
        // The source was finished.
        source.finish()
        source.map { $0 }.subscribe(log, on: .executor(executor)) { _, _ in }
        #expect(Self.take(looks) == 0)
        executor.runAll()
        let none = Self.holdLooks(limit: .zero)
        Publisher(initial: 1).map { $0 }.subscribe(log, on: .background) { _, _ in }
        #expect(Self.take(none) == 0)
        withExtendedLifetime((iterator, log)) {}
      }
      #expect(Self.lines(result) == [])
    }
  }
#endif
