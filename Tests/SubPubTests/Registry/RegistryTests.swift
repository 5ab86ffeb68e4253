import SubPub
import SubPubTesting
import Testing

@Suite("A registry is an actor: tasks can await it, and its turns are its isolation", .timeLimit(.minutes(2)))
struct RegistryExecutorTests {
  /// Plain state that is accessed only in turns of one registry.
  final class Tally: @unchecked Sendable {
    var count = 0
  }

  private let registry = PublisherRegistry(Publisher<Int>().id, initial: nil)

  @Test("tasks that await it and threads that take turns exclude each other")
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

  @Test("a turn is isolated to it, on any thread")
  func required_1_06_isolated() async throws {
    let registry = registry
    try await OwnThread.run { registry.turn { _ in registry.preconditionIsolated() } }
    registry.turn { _ in registry.preconditionIsolated() }
    await registry.checkIsolation()
  }

  /// The task goes on elsewhere while the thread that enqueued it still has the turn, which sanitizers check.
  @Test("a task can release it as soon as its await has returned")
  func stochastic_1_06_letGo() async {
    for _ in 0..<2_000 { await PublisherRegistry(Publisher<Int>().id, initial: nil).checkIsolation() }
  }

  @Test("code outside its turns isn't isolated to it")
  func required_1_06_outside() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      PublisherRegistry(Publisher<Int>().id, initial: nil).preconditionIsolated()
    }
    // The runtime's message, or the executor's where the runtime doesn't call `isIsolatingCurrentContext()` yet.
    let message = MisuseTests.message(result)
    #expect(message.contains("Incorrect actor executor") || message.contains("outside its turns"), "\(message)")
  }
}

extension PublisherRegistry {
  fileprivate func count(in tally: RegistryExecutorTests.Tally) { tally.count += 1 }

  fileprivate func checkIsolation() { preconditionIsolated() }
}

@Suite("The index of subscribers keeps few cancelled subscriptions", .timeLimit(.minutes(1)))
struct SubscriberIndexTests {
  @Test("it keeps at most twice as many as are active, and 32 more", arguments: [false, true])
  func required_2_06_comeAndGo(isOneObject: Bool) {
    let (publisher, executors) = (Publisher<Int>(), Deaths())
    let crowd = (0..<1_000).map { _ in Recorder<Int>() }
    let staying = 20
    for recorder in crowd.prefix(staying) { publisher.subscribe(recorder, on: .immediate) }
    var most = 0
    for (number, recorder) in crowd.enumerated() {
      // Only the subscription holds its executor.
      let token = executors.makeToken()
      publisher.subscribe(
        isOneObject ? crowd[0] : recorder, on: .executor(InlineExecutor { withExtendedLifetime(token) {} }),
        ifDuplicate: .allow
      ).cancel()
      most = max(most, number + 1 - executors.count)
    }
    #expect(most <= 2 * (staying + 1) + 32)
    #expect(publisher.subscriberCount == staying)
    withExtendedLifetime(crowd) {}
  }
}
