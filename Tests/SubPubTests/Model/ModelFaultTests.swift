import SubPub
import Testing

extension ModelTests {
  /// A model that finds nothing proves nothing.
  @Suite("A mistake in the shell is found, with the steps that lead to it")
  struct Faults {
    @Test("each mistake", arguments: Model.Fault.allCases)
    func model_7_03_mistake(_ fault: Model.Fault) async throws {
      let result = await explore("model_7_03_mistake, \(fault)", bound: 2) {
        var setup = Self.setup(for: fault)
        setup.fault = fault
        return setup
      }
      let violation = try #require(result.violation, "not found")
      print("  \(violation)\n\(result.failure.joined(separator: "\n"))")
      #expect(Self.rules(of: fault).contains(String(violation.prefix(4))), "\(violation)")
    }

    private static func setup(for fault: Model.Fault) -> Model.Setup {
      switch fault {
      case .noAttention: Ends.slowNeighbour()
      case .endWithoutAsking: Lanes.immediate()
      default: Lanes.shared()
      }
    }

    /// What the mistake may break; the search ends at the first.
    private static func rules(of fault: Model.Fault) -> [String] {
      switch fault {
      case .noSecondLook, .earlyEnd: ["3.02"]
      case .noClose: ["3.02", "2.05"]
      case .noAttention: ["3.04"]
      case .endWithoutAsking, .restWithoutTurn: ["1.03", "3.05"]
      case .lostWake: ["1.03"]
      case .releaseInTurn: ["1.04"]
      case .lateOutcome: ["3.05"]
      }
    }
  }
}
