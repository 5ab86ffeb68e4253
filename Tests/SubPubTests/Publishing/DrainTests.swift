import Dispatch
import SubPub
import SubPubTesting
import Testing

extension PublishingTests {
  @Suite("drain() returns when every subscription has been served up to the version at the call")
  struct DrainTests {
    let publisher = Publisher<Int>()
    let recorder = Recorder<Int>()
    let executor = ManualExecutor()

    func draining() -> Trial<Void> { Trial { [publisher] in await publisher.drain() }.run() }

    @Test("it returns at once if there are no subscribers or nothing is pending")
    func required_3_07_nothingToDo() {
      publisher.updateData(1)
      #expect(draining().isOver)
      publisher.subscribe(recorder, on: .immediate)
      publisher.updateData(2)
      #expect(draining().isOver)
    }

    @Test("it waits for the last of several lanes")
    func required_3_07_served() {
      let second = ManualExecutor()
      let other = Recorder<Int>()
      publisher.subscribe(recorder, on: .executor(executor))
      publisher.subscribe(other, on: .executor(second))
      publisher.updateData(1)
      let trial = draining()
      executor.runAll()
      #expect(recorder.states.last == .loaded(1))
      #expect(!trial.run().isOver)
      second.runAll()
      #expect(other.states.last == .loaded(1))
      #expect(trial.run().isOver)
    }

    @Test("it doesn't wait for a state that a newer one replaces in the buffer")
    func required_3_07_overtaken() {
      publisher.subscribe(recorder, on: .executor(executor), buffering: .latest)
      let trial = draining()
      #expect(!trial.isOver)
      publisher.updateData(1)
      #expect(trial.run().isOver)
      executor.runAll()
      #expect(recorder.states == [.loaded(1)])
    }

    @Test("it doesn't wait for a state that a newer one replaces in an iterator's buffer")
    func required_3_07_overtakenInSequence() {
      let iterator = publisher.states(buffering: .latest).makeAsyncIterator()
      let trial = draining()
      #expect(!trial.isOver)
      publisher.updateData(1)
      #expect(trial.run().isOver)
      withExtendedLifetime(iterator) {}
    }

    @Test("it doesn't wait for states that are published later")
    func required_3_07_laterState() async throws {
      let (first, second) = (Gate(), Gate())
      defer {
        first.open()
        second.open()
      }
      publisher.subscribe(recorder, on: .queue(DispatchQueue(label: "held"))) { recorder, state in
        recorder.receive(state)
        if state == .unknown { first.pass() }
        if state == .loaded(2) { second.pass() }
      }
      try await first.waitUntilHeld()
      publisher.updateData(1)
      let trial = draining()
      publisher.updateData(2)
      first.open()
      try await second.waitUntilHeld()
      #expect(trial.run().isOver)
    }

    @Test("it waits until next() has returned the state, and doesn't wait for a released iterator")
    func required_3_07_sequences() {
      publisher.updateData(1)
      let iterating = Trial { [publisher] in
        var iterator = publisher.states().makeAsyncIterator()
        let first = await iterator.next()
        return (first, await iterator.next())
      }
      let trial: Trial<Void>
      do {
        let idle = publisher.states().makeAsyncIterator()
        iterating.run()
        publisher.updateData(2)
        trial = draining()
        #expect(!trial.isOver)
        iterating.run()
        #expect(!trial.run().isOver)
        withExtendedLifetime(idle) {}
      }
      #expect(trial.run().isOver)
      #expect(iterating.value?.0 == .loaded(1))
      #expect(iterating.value?.1 == .loaded(2))
    }
  }
}
