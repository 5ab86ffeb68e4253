import SubPub
import Testing

extension StateTests {
  @Suite("Two states are equal when their cases and data are, and their errors by type and description")
  struct LoadStateEqualityTests {
    struct Described: Error, CustomStringConvertible {
      let description: String
      var detail = 0
    }

    /// Describes itself as `Failure.offline` does.
    enum OtherFailure: Error { case offline }

    static let different: [LoadState<Int>] = [
      .unknown, .loading(previous: nil), .loading(previous: 1), .loading(previous: 2), .loaded(1), .loaded(2),
      .error(Failure.offline, previous: nil), .error(Failure.offline, previous: 1), .error(Failure.denied, previous: 1),
      .error(OtherFailure.offline, previous: nil), .error(Described(description: "offline"), previous: nil),
      .error(Described(description: "full"), previous: nil),
    ]

    @Test("each equals itself, and none of the others")
    func cases() {
      for (first, left) in Self.different.enumerated() {
        for (second, right) in Self.different.enumerated() {
          #expect((left == right) == (first == second), "\(left) and \(right)")
        }
      }
    }

    @Test("two errors of one type with one description are equal, whatever else is in them")
    func errorsByDescription() {
      let left = LoadState<Int>.error(Described(description: "full", detail: 1), previous: 7)
      let right = LoadState<Int>.error(Described(description: "full", detail: 2), previous: 7)
      #expect(left == right)
    }

    @Test("two error objects of one class are equal without being the same")
    func errorObjects() {
      final class Trouble: Error, CustomStringConvertible {
        let description = "trouble"
      }
      #expect(LoadState<Int>.error(Trouble(), previous: nil) == .error(Trouble(), previous: nil))
    }
  }

  @Suite("A state describes itself with its data")
  struct LoadStateDescriptionTests {
    @Test("as in a log")
    func descriptions() {
      #expect("\(LoadState<Int>.unknown)" == "unknown")
      #expect("\(LoadState<Int>.loading(previous: nil))" == "loading")
      #expect("\(LoadState.loading(previous: 1))" == "loading(previous: 1)")
      #expect("\(LoadState.loaded([1, 2]))" == "loaded([1, 2])")
      #expect("\(LoadState<Int>.error(Failure.offline, previous: nil))" == "error(offline)")
      #expect("\(LoadState.error(Failure.offline, previous: 1))" == "error(offline, previous: 1)")
      #expect(
        "\(LoadPhase.unknown) \(LoadPhase.loading) \(LoadPhase.loaded) \(LoadPhase.error)"
          == "unknown loading loaded error")
    }
  }
}
