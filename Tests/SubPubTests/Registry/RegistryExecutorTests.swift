import SubPub
import Testing

@Suite("A registry is an actor: tasks may await it, and its turns are its isolation", .timeLimit(.minutes(1)))
struct RegistryExecutorTests {
  /// Plain state, which the turns of one registry guard.
  final class Tally: @unchecked Sendable {
    var count = 0
  }

  private let registry = PublisherRegistry(Publisher<Int>().id, initial: nil)

  @Test("tasks that await it and threads that enter it exclude each other")
  func stochastic_1_06_awaited() async throws {
    let (registry, tally) = (registry, Tally())
    async let threads: Void = Race.run(threads: 2) { _ in
      for _ in 0..<1_000 { registry.turn { _ in tally.count += 1 } }
    }
    await withTaskGroup { group in
      for _ in 0..<2 {
        group.addTask { for _ in 0..<1_000 { await registry.count(in: tally) } }
      }
    }
    try await threads
    #expect(registry.turn { _ in tally.count } == 4_000)
  }

  @Test("inside a turn the caller is isolated to it, on whatever thread")
  func required_1_06_isolated() async throws {
    let registry = registry
    try await OwnThread.run { registry.turn { _ in registry.preconditionIsolated() } }
    registry.turn { _ in registry.preconditionIsolated() }
    await registry.checkIsolation()
  }

  /// The task goes on elsewhere while the thread that enqueued it still has the turn. The sanitizers judge this.
  @Test("a task that awaited it may let go of it at once")
  func stochastic_1_06_letGo() async {
    for _ in 0..<2_000 { await PublisherRegistry(Publisher<Int>().id, initial: nil).checkIsolation() }
  }

  @Test("outside its turns nobody is")
  func required_1_06_outside() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      PublisherRegistry(Publisher<Int>().id, initial: nil).preconditionIsolated()
    }
    // The runtime's words; where it doesn't ask `isIsolatingCurrentContext()` yet, the executor's.
    let message = MisuseTests.message(result)
    #expect(message.contains("Incorrect actor executor") || message.contains("outside its turns"), "\(message)")
  }
}

extension PublisherRegistry {
  fileprivate func count(in tally: RegistryExecutorTests.Tally) { tally.count += 1 }

  fileprivate func checkIsolation() { preconditionIsolated() }
}
