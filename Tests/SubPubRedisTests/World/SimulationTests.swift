#if Redis && (DEBUG || TESTABLE)
  import Foundation
  import Support
  import Testing

  /// Tries one world after the other.
  ///
  /// `SIMULATED_SECONDS` is how long, beginning with the seed `SIMULATED_SEED`; without it, a few are tried. With
  /// `SIMULATED_HISTORY`, one is tried, and what happens in it is printed; `SIMULATED_WITHOUT` lists the harms that are
  /// left out.
  @Suite("Section 8 in simulated worlds", .hangLimit)
  struct SimulationTests {
    private static let environment = ProcessInfo.processInfo.environment

    @Test("nothing that happens to servers, connections, and processes breaks a rule")
    func model_8_01_8_02_8_04_8_06_8_07_8_08_8_09_worlds() async {
      let outcome = await onOwnThread { Self.outcome() }
      if let violation = outcome.violation { Issue.record("\(violation)") }
      print(outcome.text)
    }

    private static func outcome() -> (violation: String?, text: String) {
      let first = environment["SIMULATED_SEED"].flatMap(UInt64.init) ?? 1
      if environment["SIMULATED_HISTORY"] != nil { return history(ofSeed: first) }
      let seconds = environment["SIMULATED_SECONDS"].flatMap(Double.init)
      let start = ContinuousClock.now
      var (seed, events, harms) = (first, 0, 0)
      let count = UInt64(TestRounds.of(60, full: 300))
      while seconds.map({ start.duration(to: .now) < .seconds($0) }) ?? (seed < first + count) {
        let simulation = Simulation(seed: seed)
        simulation.run()
        (events, harms) = (events + simulation.world.count, harms + simulation.harms.count)
        if let violation = simulation.world.violations.first { return (explained(violation, ofSeed: seed), "") }
        seed += 1
        TestLimit.noteProgress()
      }
      let time = start.duration(to: .now) / .seconds(1)
      return (nil, "\(seed - first) worlds of 160 s, \(events) events, \(harms) harms in \(time) s")
    }

    private static func explained(_ violation: String, ofSeed seed: UInt64) -> String {
      let without = Simulation.needlessHarms(ofSeed: seed).sorted().map(String.init).joined(separator: ",")
      let repeating = "SIMULATED_HISTORY=1 SIMULATED_SEED=\(seed) SIMULATED_WITHOUT=\(without)"
      return "\(violation); to see how it comes to that: \(repeating) swift test --filter SimulationTests"
    }

    private static func history(ofSeed seed: UInt64) -> (violation: String?, text: String) {
      let without = environment["SIMULATED_WITHOUT"]?.split(separator: ",").compactMap { Int($0) } ?? []
      let world = recordedWorld(ofSeed: seed, without: Set(without))
      return (world.violations.first, world.history.joined(separator: "\n"))
    }

    private static func recordedWorld(ofSeed seed: UInt64, without harms: Set<Int> = []) -> World {
      let simulation = Simulation(seed: seed, without: harms, isRecorded: true)
      simulation.run()
      TestLimit.noteProgress()
      return simulation.world
    }

    @Test("the same seed gives the same history, byte for byte")
    func model_7_02_8_01_sameHistory() async {
      for seed in UInt64(1)...5 {
        let first = await onOwnThread { Self.recordedWorld(ofSeed: seed).history }
        let second = await onOwnThread { Self.recordedWorld(ofSeed: seed).history }
        let difference = zip(first, second).first { $0 != $1 }
        #expect(difference == nil, "seed \(seed)")
        #expect(first.count == second.count && first.count > 50)
      }
    }
  }
#endif
