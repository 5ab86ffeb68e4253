import SubPub
import Testing

extension PublishingTests {
  @Suite("value() returns the current value, or the next one to be loaded")
  struct ValueTests {
    let publisher = Publisher<Int>()

    func waiting() -> Trial<Int> { Trial { [publisher] in try await publisher.value() }.run() }

    @Test("it returns a loaded value at once, and throws the current error, even if there is previous data")
    func required_2_01_atOnce() {
      publisher.updateData(5)
      #expect(waiting().value == 5)
      publisher.setState(.error(Failure.denied, previous: 1))
      #expect(waiting().error as? Failure == .denied)
      #expect(publisher.subscriberCount == 0)
    }

    @Test("any number of tasks wait for the next value or error", arguments: [false, true])
    func required_2_01_6_01_later(fails: Bool) {
      publisher.setState(.loading(previous: 1))
      let trials = (0..<5).map { _ in waiting() }
      #expect(publisher.subscriberCount == 5)
      publisher.reset()
      publisher.startLoading()
      #expect(trials.allSatisfy { !$0.run().isOver })
      if fails { publisher.setError(Failure.offline) }
      publisher.updateData(5)
      publisher.updateData(6)
      for trial in trials {
        trial.run()
        #expect(trial.value == (fails ? nil : 5))
        #expect(trial.error as? Failure == (fails ? .offline : nil))
      }
      #expect(publisher.subscriberCount == 0)
    }

    @Test("it throws a CancellationError if its task is cancelled before or during the call", arguments: [true, false])
    func required_6_02_cancelled(waits: Bool) {
      let trial = Trial { [publisher] in try await publisher.value() }
      if waits { trial.run() }
      trial.cancel()
      trial.run()
      #expect(trial.error is CancellationError)
      #expect(publisher.subscriberCount == 0)
    }

    @Test("it doesn't keep the publisher alive, and throws a PublisherEnded that names it")
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
      #expect("\(ended)" == "brief has ended")
    }
  }
}
