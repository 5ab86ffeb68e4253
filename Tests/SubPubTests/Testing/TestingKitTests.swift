import SubPub
import SubPubTesting
import Testing

@Suite("The test kit does what its documentation says", .hangLimit)
enum TestingKitTests {

  @Suite("Every wait of the kit can be cancelled")
  struct WaitTests {
    /// What a wait is for, which never comes.
    enum Wait: String, CaseIterable {
      case heldThreads, heldTasks, sleepers, states, state

      func perform() async throws {
        switch self {
        case .heldThreads: try await Gate().waitUntilHeld()
        case .heldTasks: try await AsyncGate().waitUntilHeld()
        case .sleepers: try await ManualClock().waitForSleepers(1)
        case .states: try await Recorder<Int>().wait(count: 1)
        case .state: try await Recorder<Int>().wait { $0.phase == .loaded }
        }
      }
    }

    @Test("a cancelled wait throws a CancellationError", arguments: Wait.allCases, [false, true])
    func cancelled(wait: Wait, beforeItStarts: Bool) {
      let trial = Trial { try await wait.perform() }
      if !beforeItStarts { trial.run() }
      #expect(!trial.isOver)
      trial.cancel()
      #expect(trial.run().error is CancellationError)
    }
  }

  @Suite("A seeded generator produces the same numbers for the same seed")
  struct SeededGeneratorTests {
    @Test("it is SplitMix64, as the published test vector shows")
    func vector() {
      var generator = SeededGenerator(seed: 1_234_567)
      let numbers = (0..<5).map { _ in generator.next() }
      #expect(
        numbers == [
          6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
          4_593_380_528_125_082_431, 16_408_922_859_458_223_821,
        ])
    }

    @Test("neighboring seeds begin with different numbers")
    func neighbors() {
      let first = (0..<1_000 as Range<UInt64>).map { seed in
        var generator = SeededGenerator(seed: seed)
        return generator.next()
      }
      #expect(Set(first).count == 1_000)
    }
  }
}

extension Locked {
  /// The current value.
  var snapshot: State { withLock { $0 } }
}
