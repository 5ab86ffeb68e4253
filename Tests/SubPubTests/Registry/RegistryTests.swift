import SubPub
import SubPubTesting
import Testing

@Suite("A registry is an actor, and its turns are its isolation", .hangLimit)
struct RegistryExecutorTests {
  @Test("a turn is isolated to it, on any thread")
  func required_1_06_isolated() async throws {
    let registry = PublisherRegistry(Publisher<Int>().id, initial: nil)
    try await OwnThread.run { registry.turn { _ in registry.preconditionIsolated() } }
    registry.turn { _ in registry.preconditionIsolated() }
    await registry.checkIsolation()
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
  fileprivate func checkIsolation() { preconditionIsolated() }
}

@Suite("The index of subscribers keeps few cancelled subscriptions", .hangLimit)
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
