#if DEBUG
  import SubPub
  import SubPubTesting
  import Testing

  @testable import SubPub

  /// Each delivery publishes the next states, up to a last one.
  @Suite("A lane waits before its next turn only if it delivers the newest state and can't keep up")
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

    @Test("with `.latest`, it waits two microseconds after each delivery that took the place of others")
    func model_2_08_overtaken() {
      #expect(waits(.latest, publishing: 2) == Array(repeating: 2_000, count: 10))
    }

    @Test("with `.latest`, it doesn't wait while no state is skipped")
    func model_2_08_keepsUp() { #expect(waits(.latest, publishing: 1) == []) }

    @Test("with other policies, it never waits", arguments: [BufferingPolicy.newest(2), .unbounded])
    func model_2_08_otherPolicies(policy: BufferingPolicy) { #expect(waits(policy, publishing: 3) == []) }

    @Test("the publishing thread never waits")
    func model_2_08_1_05_publishingThread() { #expect(waits(.latest, on: .immediate, publishing: 3) == []) }
  }
#endif
