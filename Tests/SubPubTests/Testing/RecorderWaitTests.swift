import Dispatch
import SubPub
import SubPubTesting
import Testing

extension TestingKitTests {
  @Suite("A wait for a recorder's states ends when they come, in time, or when it is cancelled")
  struct RecorderWaitTests {
    let recorder = Recorder<Int>()
    let executor = ManualExecutor()

    /// Starts a wait on the executor; the result says how it ended.
    func start(
      _ wait: @escaping @Sendable () async throws -> Void
    ) -> (Task<Void, any Error>, Locked<String?>) {
      let end = Locked<String?>(nil)
      let task = Task(executorPreference: executor) {
        do {
          try await wait()
          end.withLock { $0 = "returned" }
        } catch {
          end.withLock { $0 = "\(type(of: error))" }
          throw error
        }
      }
      return (task, end)
    }

    @Test("waiting for a number of states returns at once when they are there")
    func countAtOnce() async throws {
      try await recorder.wait(count: 0)
      recorder.receive(.unknown)
      recorder.receive(.unknown)
      try await recorder.wait(count: 1, within: .zero)
      try await recorder.wait(count: 2, within: .seconds(Int64.max))
    }

    @Test("waiting for a number of states suspends until the last of them has come")
    func countLater() async throws {
      let recorder = recorder
      let (task, end) = start { try await recorder.wait(count: 2) }
      executor.runAll()
      recorder.receive(.unknown)
      executor.runAll()
      #expect(end.snapshot == nil)
      recorder.receive(.loaded(1))
      executor.runAll()
      #expect(end.snapshot == "returned")
      try await task.value
    }

    @Test("waiting for a state is satisfied by one that came before")
    func untilAtOnce() async throws {
      recorder.receive(.loaded(1))
      recorder.receive(.loaded(2))
      try await recorder.wait(within: .zero) { $0.value == 1 }
    }

    @Test("waiting for a state suspends until it comes, and tests each state once, in order")
    func untilLater() async throws {
      let (recorder, tested) = (recorder, Locked<[Int?]>([]))
      recorder.receive(.loaded(0))
      let (task, end) = start {
        try await recorder.wait { state in
          tested.withLock { $0.append(state.value) }
          return state.value == 3
        }
      }
      executor.runAll()
      recorder.receive(.loaded(1))
      executor.runAll()
      recorder.receive(.loaded(2))
      #expect(end.snapshot == nil)
      recorder.receive(.loaded(3))
      recorder.receive(.loaded(4))
      executor.runAll()
      #expect(end.snapshot == "returned")
      #expect(tested.snapshot == [0, 1, 2, 3])
      try await task.value
    }

    @Test("the predicate runs under no lock: it may use the recorder itself")
    func predicateMayUseRecorder() async throws {
      let recorder = recorder
      recorder.receive(.loaded(1))
      try await recorder.wait { state in
        if state.value == 1 { recorder.receive(.loaded(2)) }
        return recorder.states.count == 2 && state.value == 2
      }
    }

    @Test("a wait that is cancelled throws, with nothing left behind", arguments: [false, true])
    func cancelled(beforeItStarts: Bool) async {
      let recorder = recorder
      for (task, end) in [
        start { try await recorder.wait(count: 1) },
        start { try await recorder.wait { $0.phase == .loaded } },
      ] {
        if !beforeItStarts { executor.runAll() }
        #expect(end.snapshot == nil)
        task.cancel()
        executor.runAll()
        #expect(end.snapshot == "CancellationError")
        await #expect(throws: CancellationError.self) { try await task.value }
      }
    }

    @Test("an endless flood of other states doesn't outrun the time")
    func flood() async {
      let recorder = recorder
      recorder.receive(.loaded(0))
      await #expect(throws: RecorderTimeout.self) {
        try await recorder.wait(within: .milliseconds(20)) { _ in
          recorder.receive(.unknown)
          return false
        }
      }
    }

    @Test("an endless flood of other states doesn't outrun a cancellation")
    func floodCancelled() async {
      let (recorder, gate) = (recorder, Gate())
      recorder.receive(.loaded(0))
      let task = Task {
        try await recorder.wait(within: .seconds(1_000)) { _ in
          recorder.receive(.unknown)
          gate.open()
          return false
        }
      }
      await gate.waitUntilHeld()
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("a wait that ended early leaves no timer and no task that keeps the recorder")
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

    @Test("states from many threads all arrive, and wake all who wait")
    func manyThreads() async throws {
      try await withThrowingTaskGroup { group in
        for thread in 0..<4 {
          group.addTask {
            await onThread { for number in 0..<1_000 { recorder.receive(.loaded(thread * 1_000 + number)) } }
          }
          group.addTask { try await recorder.wait(count: thread * 1_000 + 1) }
          group.addTask { try await recorder.wait { $0.value == thread * 1_000 + 999 } }
        }
        try await group.waitForAll()
      }
      #expect(Set(recorder.states.compactMap(\.value)).count == 4_000)
    }

    @Test("waiting and receiving at once never misses a state")
    func waitAgainstReceive() async throws {
      for _ in 0..<500 {
        let recorder = Recorder<Int>()
        try await withThrowingTaskGroup { group in
          group.addTask { try await recorder.wait(count: 1) }
          group.addTask { try await recorder.wait { $0.value == 1 } }
          group.addTask { recorder.receive(.loaded(1)) }
          try await group.waitForAll()
        }
      }
    }

    @MainActor
    @Test("it can be awaited on the main actor")
    func mainActor() async throws {
      let publisher = Publisher<Int>()
      publisher.subscribe(recorder, on: .queue(DispatchQueue(label: "subscriber")))
      publisher.updateData(1)
      try await recorder.wait { $0.value == 1 }
      MainActor.preconditionIsolated()
    }
  }
}
