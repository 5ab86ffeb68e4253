import Dispatch
import SubPub
import SubPubTesting
import Testing

extension ClientTests {
  @Suite("Publishing")
  struct PublishingTests {
    @Test("every operation is one transition, and keeps the value that there was")
    func transitions() async {
      let publisher = Publisher<Int>(label: "steps", staleAfter: nil, clock: ContinuousClock())
      #expect(publisher.state == .unknown)
      #expect(publisher.current.version == 0)
      publisher.startLoading()
      #expect(publisher.state == .loading(previous: nil))
      publisher.updateData(1)
      #expect(publisher.state == .loaded(1))
      publisher.startLoading()
      #expect(publisher.state == .loading(previous: 1))
      publisher.setError(Failure.offline)
      #expect(publisher.state == .error(Failure.offline, previous: 1))
      publisher.republish()
      #expect(publisher.state == .error(Failure.offline, previous: 1))
      publisher.setState(.loaded(7))
      #expect(publisher.state == .loaded(7))
      publisher.reset()
      #expect(publisher.state == .unknown)
      #expect(publisher.current.version == 7)
      await publisher.drain()  // nobody listens: returns at once
    }

    /// Publishes from its own isolation.
    private actor Reporter {
      private let publisher: Publisher<Int>
      init(_ publisher: Publisher<Int>) { self.publisher = publisher }
      func report(_ value: Int) { publisher.updateData(value) }
    }

    /// Publishes when it is released.
    private nonisolated final class LastWords {
      private let publisher: Publisher<Int>
      init(_ publisher: Publisher<Int>) { self.publisher = publisher }
      deinit { publisher.updateData(99) }
    }

    @Test("threads, tasks, actors and a deinit publish without await")
    func anywhere() async {
      let publisher = Publisher<Int>()
      let versions = Journal<UInt64>()
      DispatchQueue.concurrentPerform(iterations: 8) { @Sendable index in
        publisher.updateData(index)
        versions.add(publisher.current.version)
      }
      #expect(versions.entries.allSatisfy { (1...8).contains($0) } && versions.entries.contains(8))
      #expect(publisher.current.version == 8)
      await Reporter(publisher).report(41)
      #expect(publisher.state == .loaded(41))
      await MainActor.run { publisher.updateData(42) }
      #expect(publisher.state == .loaded(42))
      await Task.detached { publisher.updateData(43) }.value
      #expect(publisher.state == .loaded(43))
      do { _ = LastWords(publisher) }
      #expect(publisher.state == .loaded(99))
    }

    @Test("update is atomic, returns what it published, and publishes nothing if its transform throws")
    func updating() {
      let publisher = Publisher<Int>()
      publisher.updateData(1)
      let publication = publisher.update { $0.map { $0 + 1 } }
      #expect(publication.state == .loaded(2))
      #expect(publication.version == 2)
      publisher.update { _ in .loading(previous: 5) }  // the result may be ignored
      #expect(throws: Failure.denied) { try publisher.update { _ in throw Failure.denied } }
      #expect(publisher.current.version == 3)
      DispatchQueue.concurrentPerform(iterations: 4) { @Sendable _ in
        for _ in 1...100 { publisher.update { .loaded(($0.value ?? 0) + 1) } }
      }
      #expect(publisher.state == .loaded(405))
    }

    @Test("a value that is published if it has changed is no transition otherwise")
    func updatingIfChanged() {
      let publisher = Publisher<Int>()
      publisher.updateData(405)
      #expect(!publisher.updateData(ifChanged: 405))
      #expect(publisher.current.version == 1)
      #expect(publisher.updateData(ifChanged: 406))
      #expect(publisher.current.version == 2)
      publisher.updateData(ifChanged: 407)  // the result may be ignored
      #expect(publisher.state == .loaded(407))
    }

    /// Waits for a value on an executor, so that it is known when the wait has begun.
    private func waiting(for publisher: Publisher<Int>, on executor: ManualExecutor) -> Task<Int, any Error> {
      let task = Task(executorPreference: executor) { try await publisher.value() }
      executor.runAll()
      #expect(publisher.subscriberCount == 1)
      return task
    }

    private func finish(_ task: Task<Int, any Error>, on executor: ManualExecutor) async throws -> Int {
      await executor.waitForPending(1)
      executor.runAll()
      return try await task.value
    }

    @Test("value() waits for the first value or error, and ends with its task or with the publisher")
    func values() async throws {
      let publisher = Publisher<Int>()
      let executor = ManualExecutor()
      let first = waiting(for: publisher, on: executor)
      publisher.startLoading()
      publisher.updateData(5)
      #expect(try await finish(first, on: executor) == 5)
      #expect(try await publisher.value() == 5, "at once, if one is loaded")

      publisher.reset()
      let failing = waiting(for: publisher, on: executor)
      publisher.setError(Failure.offline)
      await #expect(throws: Failure.offline) { try await finish(failing, on: executor) }

      publisher.reset()
      let cancelled = waiting(for: publisher, on: executor)
      cancelled.cancel()
      await #expect(throws: CancellationError.self) { try await finish(cancelled, on: executor) }

      var brief: Publisher<Int>? = Publisher(label: "brief")
      let ended = PublisherEnded(source: try #require(brief?.id))
      let last = Task(executorPreference: executor) { [weak brief] in try await brief?.value() ?? 0 }
      executor.runAll()
      brief = nil
      await #expect(throws: ended) { try await finish(last, on: executor) }
      #expect(ended.source.description == "brief")
      #expect(ended.description.hasPrefix("brief"))
    }

    @Test("data becomes stale by a clock, and that publishes nothing")
    func staleness() {
      let clock = ManualClock()
      let publisher = Publisher<Int>(staleAfter: .seconds(60), clock: clock)
      #expect(publisher.staleAfter == .seconds(60))
      #expect(!publisher.isStale, "unknown isn't stale")
      publisher.updateData(1)
      clock.advance(by: .seconds(59))
      #expect(!publisher.isStale)
      #expect(publisher.age(of: publisher.current) == .seconds(59))
      clock.advance(by: .seconds(2))
      #expect(publisher.isStale)
      let version = publisher.current.version
      publisher.updateData(2, age: .seconds(50))
      #expect(!publisher.isStale)
      clock.advance(by: .seconds(11))
      #expect(publisher.isStale, "the age that data came with counts")
      #expect(publisher.current.version == version + 1)
      publisher.startLoading()
      #expect(publisher.isStale, "previous data is as stale as it was")
      publisher.reset()
      #expect(!publisher.isStale)

      let forever = Publisher<Int>()
      #expect(forever.staleAfter == nil)
      forever.updateData(1, age: .seconds(1_000_000))
      #expect(!forever.isStale)
    }
  }
}
