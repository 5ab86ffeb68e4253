import SubPub
import SubPubTesting
import Testing

extension TestingKitTests {
  @Suite("A recorder keeps what it receives, and describes what was missing")
  struct RecorderTests {
    let recorder = Recorder<Int>()

    @Test("the error of a timeout tells what was waited for, how long, where, and what had arrived")
    func timeout() async throws {
      let none = try await #require(throws: RecorderTimeout.self) {
        try await recorder.wait(count: 1, within: .milliseconds(5), fileID: "Tests/News.swift", line: 41)
      }
      #expect(
        "\(none)" == "Waited 0.005 seconds for 1 state (Tests/News.swift:41); no state had arrived")

      recorder.receive(.loading(previous: nil))
      recorder.receive(.loaded(1))
      let some = try await #require(throws: RecorderTimeout.self) {
        try await recorder.wait(count: 3, within: .zero, fileID: "Tests/News.swift", line: 42)
      }
      #expect(
        "\(some)"
          == "Waited 0.0 seconds for 3 states (Tests/News.swift:42); 2 had arrived: loading, loaded(1)")

      for number in 2...9 { recorder.receive(.loaded(number)) }
      let many = try await #require(throws: RecorderTimeout.self) {
        try await recorder.wait(within: .milliseconds(5)) { $0.phase == .error }
      }
      #expect((many.count, many.lastStates) == (10, (5...9).map { "loaded(\($0))" }))
      #expect(many.fileID == #fileID)
      #expect("\(many)".contains("for a state that satisfies the predicate"))
      #expect("\(many)".contains("10 had arrived, the last of them: loaded(5), loaded(6)"))
    }

    @Test("long states are shortened in the error")
    func longStates() async throws {
      let recorder = Recorder<String>()
      recorder.receive(.loaded(String(repeating: "x", count: 10_000)))
      let error = try await #require(throws: RecorderTimeout.self) {
        try await recorder.wait(count: 2, within: .zero)
      }
      #expect(error.lastStates.first?.count == 201)
    }
  }
}
