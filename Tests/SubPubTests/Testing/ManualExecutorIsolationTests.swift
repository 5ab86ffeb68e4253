import SubPub
import SubPubTesting
import Synchronization
import Testing

extension TestingKitTests {
  @Suite("A manual executor isolates the actors that run on it, and runs one job at a time")
  struct ManualExecutorIsolationTests {
    /// An actor that runs on the given executor.
    actor Counter {
      private let executor: ManualExecutor
      private(set) var count = 0
      nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }
      init(_ executor: ManualExecutor) { self.executor = executor }
      func increment() {
        preconditionIsolated()
        executor.preconditionIsolated()
        count += 1
      }
      func incrementTwice() async {
        increment()
        await incrementAgain()
      }
      private func incrementAgain() async { increment() }
      func runExecutor() { executor.runOne() }
    }

    @Test("calling an actor takes a job of its own, in which the actor can call itself")
    func goingToAnActor() {
      let executor = ManualExecutor()
      let counter = Counter(executor)
      Task(executorPreference: executor) { await counter.incrementTwice() }
      #expect(executor.runOne())
      #expect(executor.pending == 1)
      executor.schedule { counter.assumeIsolated { #expect($0.count == 2) } }
      #expect(executor.runOne())
      #expect(executor.runOne())
      executor.runAll()
    }

    @Test("code outside its jobs isn't isolated to it")
    func notIsolatedOutside() {
      let (executor, other) = (ManualExecutor(), ManualExecutor())
      #expect(executor.isIsolatingCurrentContext() == false)
      executor.schedule {
        #expect(executor.isIsolatingCurrentContext() == true)
        #expect(other.isIsolatingCurrentContext() == false)
      }
      #expect(executor.runOne())
      #expect(executor.isIsolatingCurrentContext() == false)
    }

    enum Local { @TaskLocal static var name = "none" }

    @Test("the task that runs jobs stays the current task, and the jobs don't see its task-local values")
    func runFromTask() async {
      await Local.$name.withValue("test") {
        let executor = ManualExecutor()
        let seen = Locked("")
        Task.detached(executorPreference: executor) { seen.withLock { $0 = Local.name } }
        executor.runAll()
        #expect((seen.snapshot, Local.name) == ("none", "test"))
        await Task.yield()
        #expect(Local.name == "test")
      }
    }

    @Test("threads that run it at the same time exclude each other")
    func exclusive() async throws {
      let executor = ManualExecutor(seed: 1)
      let counter = Counter(executor)
      let inside = Atomic(0)
      let overlaps = Atomic(0)
      for _ in 0..<2_000 {
        executor.schedule {
          if inside.add(1, ordering: .relaxed).newValue != 1 { overlaps.add(1, ordering: .relaxed) }
          // Plain state of the actor, in which ThreadSanitizer would find a race.
          for _ in 0..<20 { counter.assumeIsolated { $0.increment() } }
          inside.subtract(1, ordering: .relaxed)
        }
      }
      try await Race.run(threads: 4) { thread in
        while executor.runOne() {}
        if thread == 0 { executor.runAll() }
      }
      #expect(overlaps.load(ordering: .relaxed) == 0)
      executor.schedule { counter.assumeIsolated { #expect($0.count == 40_000) } }
      executor.runAll()
    }

    @Test("a thread that runs it while another thread runs a job waits for the end of that job")
    func secondThreadWaits() async throws {
      let (executor, gate) = (ManualExecutor(), Gate())
      let log = Locked<[String]>([])
      executor.schedule {
        log.withLock { $0.append("first begins") }
        gate.pass()
        log.withLock { $0.append("first ends") }
      }
      executor.schedule { log.withLock { $0.append("second") } }
      async let first: Void = OwnThread.run { executor.runOne() }
      try await gate.waitUntilHeld()
      async let second: Void = OwnThread.run { executor.runOne() }
      #expect((executor.pending, executor.isIsolatingCurrentContext()) == (1, false))
      gate.open()
      try await first
      try await second
      #expect(log.snapshot == ["first begins", "first ends", "second"])
    }
  }
}
