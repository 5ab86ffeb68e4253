#if DEBUG
  import SubPub
  import SubPubTesting
  import Testing

  @testable import SubPub

  /// Each delivery publishes the next states, up to a last one.
  @Suite(
    "A lane waits before its next turn only if it delivers the newest state and can't keep up", .hangLimit)
  struct SpinTests {
    private let executor = ManualExecutor()
    private let spins = Locked<[UInt64]>([])

    /// Returns how long the lane has waited, once for each wait, while each of ten deliveries published states.
    private func waits(
      _ policy: BufferingPolicy, on context: DeliveryContext? = nil, publishing states: Int
    ) -> [UInt64] {
      let point = SchedulingPoint { [spins] step in
        if case .spin(let nanoseconds) = step { spins.withLock { $0.append(nanoseconds) } }
      }
      let publisher = Publisher<Int>(
        staleAfter: nil, clock: ContinuousClock(), schedulingPoints: SchedulingPoint.Maker { point })
      let deliveries = Event()
      publisher.subscribe(deliveries, on: context ?? .executor(executor), buffering: policy) {
        [weak publisher] deliveries, _ in
        deliveries.happen()
        if deliveries.count <= 10 { for _ in 0..<states { publisher?.updateData(0) } }
      }
      executor.runAll()
      #expect(deliveries.count > 10)
      return spins.withLock { $0 }
    }

    @Test(
      "it waits two microseconds after each delivery that took the place of others, and otherwise never",
      arguments: [
        (.latest, 2, Array(repeating: 2_000, count: 10)),
        // No state is skipped.
        (.latest, 1, []), (.newest(2), 3, []), (.unbounded, 3, []),
      ] as [(BufferingPolicy, Int, [UInt64])])
    func required_2_08_waits(policy: BufferingPolicy, states: Int, expected: [UInt64]) {
      #expect(waits(policy, publishing: states) == expected)
    }

    @Test("the publishing thread never waits")
    func required_2_08_1_05_publishingThread() { #expect(waits(.latest, on: .immediate, publishing: 3) == []) }
  }
#endif
