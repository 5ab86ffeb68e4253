import SubPub
import SubPubTesting
import Testing

extension PublishingTests {
  @Suite("value() gives the first loaded value from now on")
  struct ValueTests {
    let publisher = Publisher<Int>()

    func waiting() -> Trial<Int> { Trial { [publisher] in try await publisher.value() }.run() }

    @Test("at once, if one is loaded")
    func required_2_01_loaded() {
      publisher.updateData(5)
      let trial = waiting()
      #expect(trial.value == 5)
      #expect(publisher.subscriberCount == 0)
    }

    @Test("later, when one comes; loading is waited through, and previous data doesn't count")
    func required_2_01_later() {
      publisher.setState(.loading(previous: 1))
      let trial = waiting()
      #expect(publisher.subscriberCount == 1)
      publisher.reset()
      publisher.startLoading()
      trial.run()
      #expect(!trial.isOver)
      publisher.updateData(5)
      publisher.updateData(6)
      trial.run()
      #expect(trial.value == 5)
      #expect(publisher.subscriberCount == 0)
    }

    @Test("the first error that comes is thrown, though a value follows")
    func required_2_01_error() {
      let trial = waiting()
      publisher.startLoading()
      publisher.setError(Failure.offline)
      publisher.updateData(5)
      trial.run()
      #expect(trial.error as? Failure == .offline)
      #expect(publisher.subscriberCount == 0)
    }

    @Test("an error that stands is thrown at once, though there is previous data")
    func required_2_01_standingError() {
      publisher.setState(.error(Failure.denied, previous: 1))
      #expect(waiting().error as? Failure == .denied)
    }

    @Test("a task that is cancelled while it waits gets a CancellationError, and waits no longer")
    func required_6_02_cancelled() {
      let trial = waiting()
      trial.cancel()
      trial.run()
      #expect(trial.error is CancellationError)
      #expect(publisher.subscriberCount == 0)
    }

    @Test("a task that was cancelled before gets one too")
    func required_6_02_cancelledBefore() {
      let trial = Trial { [publisher] in try await publisher.value() }
      trial.cancel()
      trial.run()
      #expect(trial.error is CancellationError)
      #expect(publisher.subscriberCount == 0)
    }

    @Test("it keeps no publisher alive: when that goes first, a PublisherEnded names it")
    func required_3_06_ended() throws {
      weak var probe: Publisher<Int>?
      let trial: Trial<Int>
      do {
        let brief = Publisher<Int>(label: "brief")
        probe = brief
        trial = Trial { [weak brief] in try await brief?.value() ?? 0 }.run()
        #expect(brief.subscriberCount == 1)
      }
      trial.run()
      #expect(probe == nil)
      let ended = try #require(trial.error as? PublisherEnded)
      #expect(ended.source.description == "brief")
      #expect("\(ended)" == "brief was released before it had a value")
    }

    @Test("many may wait for one value")
    func required_6_01_many() {
      let trials = (0..<5).map { _ in waiting() }
      #expect(publisher.subscriberCount == 5)
      publisher.updateData(5)
      for trial in trials { trial.run() }
      #expect(trials.map(\.value) == Array(repeating: 5, count: 5))
    }

    @Test("on the main actor it comes back to the main actor")
    @MainActor func mainActor() async throws {
      let publisher = publisher
      Task.detached { publisher.updateData(5) }
      let value = try await publisher.value()
      MainActor.preconditionIsolated()
      #expect(value == 5)
    }
  }
}
