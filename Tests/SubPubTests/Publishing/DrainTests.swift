import Dispatch
import SubPub
import SubPubTesting
import Testing

extension PublishingTests {
  @Suite("drain() returns when everyone has been served up to the version at the call")
  struct DrainTests {
    let publisher = Publisher<Int>()
    let recorder = Recorder<Int>()
    let executor = ManualExecutor()

    func draining() -> Trial<Void> { Trial { [publisher] in await publisher.drain() }.run() }

    @Test("at once, if nobody listens or nothing is pending")
    func required_3_07_nothingToDo() {
      publisher.updateData(1)
      #expect(draining().isOver)
      publisher.subscribe(recorder, on: .immediate)
      publisher.updateData(2)
      #expect(draining().isOver)
    }

    @Test("not before the last of several lanes has been served")
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

    @Test("states that were skipped count as served", arguments: [BufferingPolicy.latest, .newest(2)])
    func required_3_07_skipped(policy: BufferingPolicy) {
      publisher.subscribe(recorder, on: .executor(executor), buffering: policy)
      for number in 1...9 { publisher.updateData(number) }
      let trial = draining()
      #expect(!trial.isOver)
      executor.runAll()
      #expect(trial.run().isOver)
      #expect(recorder.states.last == .loaded(9))
    }

    @Test("a delivery under way is waited for")
    func required_3_07_underWay() async {
      let gate = Gate()
      defer { gate.open() }
      publisher.subscribe(recorder, on: .queue(DispatchQueue(label: "held"))) { recorder, state in
        gate.pass()
        recorder.receive(state)
      }
      await gate.waitUntilHeld()
      let trial = draining()
      #expect(!trial.isOver)
      gate.open()
      await publisher.drain()
      #expect(recorder.states == [.unknown])
      #expect(trial.run().isOver)
    }

    @Test("who subscribes afterwards doesn't hold it up")
    func required_3_07_laterSubscription() {
      let other = ManualExecutor()
      let late = Recorder<Int>()
      publisher.subscribe(recorder, on: .executor(executor))
      let trial = draining()
      publisher.subscribe(late, on: .executor(other))
      publisher.updateData(1)
      executor.runAll()
      #expect(trial.run().isOver)
      #expect(late.states == [])
      other.runAll()
      #expect(late.states == [.unknown, .loaded(1)])
    }

    @Test("nor does the replay of a newcomer to the same lane, which is the state that is waited for")
    func required_3_07_laterReplay() async {
      let (first, second) = (Gate(), Gate())
      defer {
        first.open()
        second.open()
      }
      let queue = DispatchQueue(label: "held")
      publisher.subscribe(recorder, on: .queue(queue)) { recorder, state in
        recorder.receive(state)
        first.pass()
      }
      await first.waitUntilHeld()
      let trial = draining()
      let late = Recorder<Int>()
      publisher.subscribe(late, on: .queue(queue)) { late, state in
        late.receive(state)
        second.pass()
      }
      #expect(!trial.isOver)
      first.open()
      await second.waitUntilHeld()
      #expect(trial.run().isOver)
      second.open()
      await publisher.drain()
    }

    @Test("a state that was overtaken before its lane was served has been skipped")
    func required_3_07_overtaken() {
      publisher.subscribe(recorder, on: .executor(executor), buffering: .latest)
      let trial = draining()
      #expect(!trial.isOver)
      publisher.updateData(1)
      #expect(trial.run().isOver)
      executor.runAll()
      #expect(recorder.states == [.loaded(1)])
    }

    @Test("so has one that an iterator didn't come for")
    func required_3_07_overtakenInSequence() {
      let iterator = publisher.states(buffering: .latest).makeAsyncIterator()
      let trial = draining()
      #expect(!trial.isOver)
      publisher.updateData(1)
      #expect(trial.run().isOver)
      withExtendedLifetime(iterator) {}
    }

    @Test("what is published afterwards doesn't hold it up")
    func required_3_07_laterState() async {
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
      await first.waitUntilHeld()
      publisher.updateData(1)
      let trial = draining()
      publisher.updateData(2)
      first.open()
      await second.waitUntilHeld()
      // 1 was served, and 2 was not asked for.
      #expect(trial.run().isOver)
    }

    @Test("a cancelled task returns early, whether it waits already or not", arguments: [true, false])
    func required_3_07_cancelledTask(waits: Bool) {
      publisher.subscribe(recorder, on: .executor(executor))
      let trial = Trial { [publisher] in await publisher.drain() }
      if waits { trial.run() }
      #expect(!trial.isOver)
      trial.cancel()
      #expect(trial.run().isOver)
      #expect(recorder.states == [])
      executor.runAll()
    }

    @Test("a subscription that is cancelled doesn't hold it up")
    func required_3_07_cancelledSubscription() {
      let subscription = publisher.subscribe(recorder, on: .executor(executor))
      let trial = draining()
      #expect(!trial.isOver)
      #expect(subscription.cancel() == .quiescent)
      #expect(trial.run().isOver)
      executor.runAll()
      #expect(recorder.states == [])
    }

    @Test("a subscriber that dies doesn't hold it up")
    func required_3_07_deadSubscriber() {
      do {
        let brief = Recorder<Int>()
        publisher.subscribe(brief, on: .executor(executor))
        withExtendedLifetime(brief) {}
      }
      let trial = draining()
      executor.runAll()
      #expect(trial.run().isOver)
    }

    @Test("a sequence is served when next() has returned the state; one that is released holds nothing up")
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
