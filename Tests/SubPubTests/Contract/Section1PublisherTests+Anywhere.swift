import SubPub
import SubPubTesting
import Testing

// Rule 1.06: a transform, and the turns of a publisher.
extension Section1PublisherTests {
  @Test("a transform can read its own publisher and change another")
  func required_1_06_otherPublisher() {
    let other = Publisher<Int>()
    publisher.updateData(1)
    other.updateData(10)
    publisher.update { state in
      #expect(publisher.state == .loaded(1))
      other.update { otherState in
        #expect(publisher.current.version == 1)
        return otherState.map { $0 + 1 }
      }
      other.republish()
      return state.map { $0 + 1 }
    }
    #expect(publisher.state == .loaded(2))
    #expect(other.state == .loaded(11))
    #expect(other.current.version == 3)
  }

  @Test("a turn is isolated to the publisher's registry, on any thread")
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
