import SubPub
import SubPubTesting
import Testing

extension TestingKitTests {
  @Suite("A recorder's wait ends when the states come, when its time is up, or when it is cancelled")
  struct RecorderWaitTests {
    let recorder = Recorder<Int>()

    @Test("a wait suspends until its state comes, and tests each once, in order; or until there are as many")
    func untilLater() {
      let tested = Locked<[Int?]>([])
      recorder.receive(.loaded(0))
      let trial = Trial { [recorder] in
        try await recorder.wait { state in
          tested.withLock { $0.append(state.value) }
          return state.value == 3
        }
      }
      let counting = Trial { [recorder] in try await recorder.wait(count: 4) }.run()
      trial.run()
      recorder.receive(.loaded(1))
      trial.run()
      recorder.receive(.loaded(2))
      #expect(!trial.isOver)
      recorder.receive(.loaded(3))
      recorder.receive(.loaded(4))
      #expect(trial.run().value != nil)
      #expect(tested.snapshot == [0, 1, 2, 3])
      #expect(counting.run().value != nil)
    }

    @Test("the predicate runs without a lock, so it can use the recorder")
    func predicateMayUseRecorder() async throws {
      let recorder = recorder
      recorder.receive(.loaded(1))
      try await recorder.wait { state in
        if state.value == 1 { recorder.receive(.loaded(2)) }
        return recorder.states.count == 2 && state.value == 2
      }
    }

    @Test("an endless flood of other states delays neither the timeout nor a cancellation", arguments: [false, true])
    func flood(isCancelled: Bool) async {
      recorder.receive(.loaded(0))
      let task = Task {
        try await recorder.wait(within: isCancelled ? .seconds(1_000) : .milliseconds(20)) { _ in
          recorder.receive(.unknown)
          if isCancelled { unsafe withUnsafeCurrentTask { unsafe $0?.cancel() } }
          return false
        }
      }
      let error = await #expect(throws: (any Error).self) { try await task.value }
      #expect(isCancelled ? error is CancellationError : error is RecorderTimeout)
    }

    @Test("a wait that ends leaves no timer and no task that keeps the recorder alive")
    func leavesNothing() async throws {
      weak var probe: Recorder<Int>?
      do {
        let recorder = Recorder<Int>()
        probe = recorder
        async let wait: Void = recorder.wait(count: 1, within: .seconds(3_600))
        recorder.receive(.unknown)
        try await wait
        _ = try? await recorder.wait(count: 2, within: .milliseconds(1))
      }
      #expect(probe == nil)
    }

    @Test("states from many threads all arrive, and end all waits for them")
    func manyThreads() async throws {
      try await withThrowingTaskGroup { group in
        for thread in 0..<4 {
          group.addTask {
            try await OwnThread.run { for number in 0..<1_000 { recorder.receive(.loaded(thread * 1_000 + number)) } }
          }
          group.addTask { try await recorder.wait(count: thread * 1_000 + 1) }
          group.addTask { try await recorder.wait { $0.value == thread * 1_000 + 999 } }
        }
        try await group.waitForAll()
      }
      #expect(Set(recorder.states.compactMap(\.value)).count == 4_000)
    }
  }
}
