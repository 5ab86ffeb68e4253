import Dispatch
import Foundation
import SubPub
import SubPubTesting
import Support
import Testing

extension TestingKitTests {
  @Suite("The limit of our own tests ends a wait that hangs, and no other", .hangLimit)
  struct TestLimitTests {
    /// What is left of a limit of 100.
    private func left(at now: UInt64, since begin: UInt64, lastProgress: UInt64, lastHang: UInt64 = 0) -> UInt64 {
      TestLimit.left(of: 100, at: now, since: begin, lastProgress: lastProgress, lastHang: lastHang)
    }

    @Test("the limit counts from the last progress of any test")
    func required_7_05_progress() {
      #expect(left(at: 1_000, since: 1_000, lastProgress: 900) == 100)
      #expect(left(at: 1_099, since: 1_000, lastProgress: 900) == 1)
      #expect(left(at: 1_100, since: 1_000, lastProgress: 900) == 0)
      #expect(left(at: 5_000, since: 1_000, lastProgress: 4_950) == 50)
      #expect(left(at: 5_050, since: 1_000, lastProgress: 4_950) == 0)
    }

    @Test("if one wait hangs, what its test does then prolongs no other that has waited as long")
    func required_7_05_severalHang() {
      #expect(left(at: 1_110, since: 1_000, lastProgress: 1_105, lastHang: 1_100) == 0)
      #expect(left(at: 1_110, since: 1_001, lastProgress: 1_105, lastHang: 1_100) == 95)
    }

    @Test("what is waited for in vain fails, once nothing else goes on")
    func required_7_05_hangingWait() async {
      await #expect(processExitsWith: .exitCode(7)) {
        unsafe setenv("TEST_LIMIT", "0", 1)
        async let thread = onOwnThread {
          let never = DispatchSemaphore(value: 0)
          return TestLimit.wait { never.wait(timeout: $0) }
        }
        let error = await #expect(throws: RecorderTimeout.self) { try await Recorder<Int>().wait(count: 1) }
        exit(await thread || error == nil ? 1 : 7)
      }
    }

    @Test("a process in which nothing goes on stops, and names the tests")
    func required_7_05_hangingTest() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        unsafe setenv("TEST_LIMIT", "0", 1)
        await HangLimit.watch("the one that hangs") { while true { try? await Task.sleep(for: .seconds(3_600)) } }
      }
      let message = MisuseTests.message(result)
      #expect(message.contains("in: the one that hangs"), "\(message)")
    }
  }
}
