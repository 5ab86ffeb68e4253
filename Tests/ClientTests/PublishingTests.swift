import Dispatch
import SubPub
import SubPubTesting
import Testing

extension ClientTests {
  @Suite("Publishing")
  struct PublishingTests {
    let publisher = Publisher<Int>(label: "steps", staleAfter: nil, clock: ContinuousClock())

    @Test("every operation is one transition, and keeps the value that there was")
    func transitions() async {
      #expect((publisher.state, publisher.current.version) == (.unknown, 0))
      let steps: [(publish: (Publisher<Int>) -> Void, state: LoadState<Int>)] = [
        ({ $0.startLoading() }, .loading(previous: nil)),
        ({ $0.updateData(1) }, .loaded(1)),
        ({ $0.setError(Failure.offline) }, .error(Failure.offline, previous: 1)),
        ({ $0.republish() }, .error(Failure.offline, previous: 1)),
        ({ $0.startLoading() }, .loading(previous: 1)),
        ({ $0.setState(.loaded(7)) }, .loaded(7)),
        ({ $0.reset() }, .unknown),
      ]
      for (index, step) in steps.enumerated() {
        step.publish(publisher)
        #expect(publisher.state == step.state)
        #expect(publisher.current.version == UInt64(index + 1))
      }
      await publisher.drain()  // nobody listens: returns at once
    }

    /// Publishes when it is released.
    private nonisolated final class LastWords {
      private let publisher: Publisher<Int>
      init(_ publisher: Publisher<Int>) { self.publisher = publisher }
      deinit { publisher.updateData(99) }
    }

    @Test("threads, the main actor and a deinit publish without await")
    func anywhere() async {
      DispatchQueue.concurrentPerform(iterations: 8) { @Sendable [publisher] in publisher.updateData($0) }
      #expect(publisher.current.version == 8)
      await MainActor.run { [publisher] in publisher.updateData(42) }
      #expect(publisher.state == .loaded(42))
      do { _ = LastWords(publisher) }
      #expect(publisher.state == .loaded(99))
    }

    @Test("update is atomic, returns what it published, and publishes nothing if it throws or nothing has changed")
    func updating() {
      publisher.updateData(1)
      let publication = publisher.update { $0.map { $0 + 1 } }
      #expect((publication.state, publication.version) == (.loaded(2), 2))
      #expect(throws: Failure.denied) { try publisher.update { _ in throw Failure.denied } }
      #expect(!publisher.updateData(ifChanged: 2))
      #expect(publisher.current.version == 2)
      publisher.updateData(ifChanged: 5)  // the result may be ignored
      DispatchQueue.concurrentPerform(iterations: 4) { @Sendable [publisher] _ in
        for _ in 1...100 { publisher.update { .loaded(($0.value ?? 0) + 1) } }
      }
      #expect(publisher.state == .loaded(405))
    }

    @Test("value() returns a loaded value, and throws an error or a cancellation")
    func values() async throws {
      publisher.updateData(5)
      #expect(try await publisher.value() == 5)
      publisher.setError(Failure.offline)
      await #expect(throws: Failure.offline) { try await publisher.value() }
      publisher.reset()
      let cancelled = Task { [publisher] in try await publisher.value() }
      cancelled.cancel()
      await #expect(throws: CancellationError.self) { try await cancelled.value }

      let ended = PublisherEnded(source: publisher.id)
      #expect(ended.source.description == "steps")
      #expect(ended.description.hasPrefix("steps"))
    }

    @Test("data becomes stale by a clock, and that publishes nothing")
    func staleness() {
      let clock = ManualClock()
      let publisher = Publisher<Int>(staleAfter: .seconds(60), clock: clock)
      publisher.updateData(1, age: .seconds(50))
      clock.advance(by: .seconds(9))
      #expect(!publisher.isStale)
      #expect(publisher.age(of: publisher.current) == .seconds(59))
      clock.advance(by: .seconds(1))
      #expect(publisher.isStale)
      #expect(publisher.current.version == 1)
      #expect(self.publisher.staleAfter == nil)
    }
  }
}
