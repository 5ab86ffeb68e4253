import SubPub
import SubPubTesting
import Testing

/// What a gate for threads and one for tasks have in common.
protocol AnyGate: Sendable, CustomStringConvertible {
  /// What it holds.
  static var noun: String { get }
  init()
  var isOpen: Bool { get }
  var held: Int { get }
  func open()
  /// Returns when so many are held.
  func reach(_ count: Int, within limit: Duration) async throws
  /// Goes to the gate on a thread, or in a task, of its own.
  func start(_ passed: Event)
}

extension AnyGate {
  func reach(_ count: Int) async throws { try await TestLimit.wait { try await reach(count, within: $0) } }
}

extension Gate: AnyGate {
  static let noun = "thread"

  func reach(_ count: Int, within limit: Duration) async throws {
    try await waitUntilHeld(count, within: limit, fileID: "Gates.swift", line: 7)
  }

  func start(_ passed: Event) {
    OwnThread.start {
      self.pass()
      passed.happen()
    }
  }
}

extension AsyncGate: AnyGate {
  static let noun = "task"

  func reach(_ count: Int, within limit: Duration) async throws {
    try await waitUntilHeld(count, within: limit, fileID: "Gates.swift", line: 7)
  }

  func start(_ passed: Event) {
    Task {
      await self.pass()
      passed.happen()
    }
  }
}

extension TestingKitTests {
  @Suite("A gate holds threads, or tasks without blocking a thread, until it is opened")
  struct GateTests {
    static let kinds: [any AnyGate.Type] = [Gate.self, AsyncGate.self]

    @Test("it holds everybody who comes until it is opened, and a wait lasts until as many are held", arguments: kinds)
    func holds(kind: any AnyGate.Type) async throws {
      let (gate, passed) = (kind.init(), Event())
      defer { gate.open() }
      let waits = (1...3).map { count in Trial { try await gate.reach(count) }.run() }
      #expect(waits.allSatisfy { !$0.isOver })
      for count in 1...2 {
        gate.start(passed)
        try await waits[count - 1].finish()
        #expect(
          (gate.held, "\(gate)") == (count, "\(kind): closed, holding \(count) \(kind.noun)\(count == 1 ? "" : "s")"))
        #expect(!waits[count].run().isOver)
      }
      #expect((passed.count, gate.isOpen) == (0, false))
      for _ in 0..<2 { gate.open() }
      #expect(waits[2].run().value != nil)
      for _ in 0..<2 { gate.start(passed) }
      try await passed.wait(count: 4)
      #expect((gate.held, gate.isOpen, "\(gate)") == (0, true, "\(kind): open"))
    }

    @Test("a wait that ends at its limit says how many the gate was to hold, and holds", arguments: kinds)
    func timeout(kind: any AnyGate.Type) async throws {
      let (gate, noun) = (kind.init(), kind.noun)
      defer { gate.open() }
      let error = try await #require(throws: WaitTimeout.self) {
        try await gate.reach(2, within: .milliseconds(20))
      }
      #expect(
        "\(error)" == "Waited 0.02 seconds for a gate that holds 2 \(noun)s (Gates.swift:7); "
          + "the gate is closed, holding 0 \(noun)s")
      gate.open()
      try await gate.reach(2, within: .zero)
    }

    @Test("tasks pass in the order in which they arrived, and only after the gate has been opened")
    func order() {
      let (gate, log, executor) = (AsyncGate(), Locked<[Int]>([]), ManualExecutor())
      for number in 0..<3 {
        Task(executorPreference: executor) {
          await gate.pass()
          log.withLock { $0.append(number) }
        }
        executor.runAll()
      }
      #expect((gate.held, log.snapshot) == (3, []))
      gate.open()
      executor.runAll()
      #expect((gate.held, log.snapshot) == (0, [0, 1, 2]))
    }

    @Test("a task that is cancelled passes, and is no longer held", arguments: [false, true])
    func cancelledPass(beforeItStarts: Bool) {
      let gate = AsyncGate()
      let (other, trial) = (Trial { await gate.pass() }, Trial { await gate.pass() })
      other.run()
      if !beforeItStarts {
        trial.run()
        #expect(gate.held == 2)
      }
      trial.cancel()
      #expect(trial.run().isOver)
      #expect(gate.held == 1)
      #expect(!other.run().isOver)
      gate.open()
      #expect(other.run().isOver)
    }

    /// With a search for each, it would take minutes.
    @Test("however many are cancelled, the others are held, in their order", .timeLimit(.minutes(1)))
    func manyCancelled() {
      let (gate, log, executor) = (AsyncGate(), Locked<[Int]>([]), ManualExecutor())
      let tasks = (0..<20_000).map { number in
        Task(executorPreference: executor) {
          await gate.pass()
          log.withLock { $0.append(number) }
        }
      }
      executor.runAll()
      for (number, task) in tasks.enumerated().reversed() where number % 7_000 != 1 { task.cancel() }
      executor.runAll()
      #expect((gate.held, log.snapshot.count) == (3, 19_997))
      log.withLock { $0 = [] }
      gate.open()
      executor.runAll()
      #expect(log.snapshot == [1, 7_001, 14_001])
    }

    @Test("more tasks than the pool has threads can be held at once")
    func holdsMoreThanThePool() async throws {
      let gate = AsyncGate()
      try await withThrowingTaskGroup { group in
        for _ in 0..<500 { group.addTask { await gate.pass() } }
        try await gate.waitUntilHeld(500)
        #expect(gate.held == 500)
        gate.open()
      }
      #expect(gate.held == 0)
    }
  }
}
