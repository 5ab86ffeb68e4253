import SubPub
import Testing

@Suite("States, publications, policies and contexts are values", .hangLimit)
enum StateTests {
  @Suite("A load state carries its data, describes itself, and is equal to those with the same data and kind of error")
  struct LoadStateTests {
    @Test(
      "the value is the loaded or the previous one, and the phase is the case without its data",
      arguments: [
        (LoadState<Int>.unknown, nil, .unknown, "unknown"), (.loading(previous: nil), nil, .loading, "loading"),
        (.loading(previous: 1), 1, .loading, "loading(previous: 1)"), (.loaded(2), 2, .loaded, "loaded(2)"),
        (.error(Failure.offline, previous: nil), nil, .error, "error(offline)"),
        (.error(Failure.offline, previous: 3), 3, .error, "error(offline, previous: 3)"),
      ] as [(LoadState<Int>, Int?, LoadPhase, String)])
    func parts(state: LoadState<Int>, value: Int?, phase: LoadPhase, description: String) {
      #expect(state.value == value)
      #expect(state.phase == phase)
      #expect((state.error as? Failure) == (phase == .error ? .offline : nil))
      #expect("\(state)" == description)
      #expect(description.hasPrefix("\(phase)"))
    }

    @Test("an optional value that is nil is a value")
    func optionalValue() {
      #expect(LoadState<Int?>.loaded(nil).value == .some(nil))
      #expect(LoadState<Int?>.loading(previous: .some(nil)).value == .some(nil))
      #expect(LoadState<Int?>.loading(previous: nil).value == .none)
      let publisher = Publisher<Int?>()
      publisher.updateData(nil)
      let publication: any AnyPublication = publisher.current
      #expect(publication.anyValue != nil)
      #expect(ObjectIdentifier(publication.valueType) == ObjectIdentifier(Int?.self))
      publisher.startLoading()
      #expect(publisher.state == .loading(previous: .some(nil)))
    }

    @Test(
      "map: every case stays the same case, and the transform runs once if there is data, and passes its error on",
      arguments: [
        (.unknown, .unknown), (.loading(previous: nil), .loading(previous: nil)),
        (.loading(previous: 1), .loading(previous: "1")), (.loaded(2), .loaded("2")),
        (.error(Failure.denied, previous: nil), .error(Failure.denied, previous: nil)),
        (.error(Failure.denied, previous: 3), .error(Failure.denied, previous: "3")),
      ] as [(LoadState<Int>, LoadState<String>)])
    func map(state: LoadState<Int>, mapped: LoadState<String>) throws {
      #expect(state.map { "\($0)" } == mapped)
      var runs = 0
      let failing = { (_: Int) throws -> String in
        runs += 1
        throw Failure.offline
      }
      if state.value == nil {
        #expect(try state.map(failing) == mapped)
      } else {
        #expect(throws: Failure.offline) { try state.map(failing) }
      }
      #expect(runs == (state.value == nil ? 0 : 1))
    }

    struct Described: Error, CustomStringConvertible {
      let description: String
      var detail = 0
    }

    /// An error that has the same description as `Failure.offline`.
    enum OtherFailure: Error { case offline }

    static let different: [LoadState<Int>] = [
      .unknown, .loading(previous: nil), .loading(previous: 1), .loading(previous: 2), .loaded(1), .loaded(2),
      .error(Failure.offline, previous: nil), .error(Failure.offline, previous: 1), .error(Failure.denied, previous: 1),
      .error(OtherFailure.offline, previous: nil), .error(Described(description: "offline"), previous: nil),
      .error(Described(description: "full"), previous: nil),
    ]

    @Test("each state equals itself and none of the others")
    func equality() {
      for (first, left) in Self.different.enumerated() {
        for (second, right) in Self.different.enumerated() {
          #expect((left == right) == (first == second), "\(left) and \(right)")
        }
      }
    }

    @Test("errors of one type with one description are equal, even if they differ otherwise or are different objects")
    func errorsByDescription() {
      final class Trouble: Error, CustomStringConvertible {
        let description = "trouble"
      }
      let left = LoadState<Int>.error(Described(description: "full", detail: 1), previous: 7)
      let right = LoadState<Int>.error(Described(description: "full", detail: 2), previous: 7)
      #expect(left == right)
      #expect(LoadState<Int>.error(Trouble(), previous: nil) == .error(Trouble(), previous: nil))
    }
  }
}
