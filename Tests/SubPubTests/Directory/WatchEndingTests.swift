import SubPub
import SubPubTesting
import Testing

extension DirectoryTests {
  @Suite("One cancel ends a watch everywhere")
  struct WatchEndingTests {
    @Test("without a publisher it is quiescent, then already cancelled, and nobody joins any more")
    func required_3_02_noPublisher() {
      let directory = PublisherDirectory()
      let watcher = Watcher()
      let handle = directory.subscribeToAll(watcher, on: .immediate)
      #expect(handle.isActive)
      #expect(handle.cancel() == .quiescent)
      #expect(!handle.isActive)
      #expect(handle.cancel() == .alreadyCancelled)
      directory.publisher(of: Int.self).startLoading()
      directory.register(Publisher<String>())
      #expect(watcher.notes.isEmpty)
    }

    @Test("all publishers go silent, those that were registered too, and those to come")
    func required_3_02_everywhere() {
      let directory = PublisherDirectory()
      let publishers = Topic.all.dropLast().map { $0.find(directory) }
      let watcher = Watcher()
      let handle = directory.subscribeToAll(watcher, on: .immediate)
      #expect(handle.cancel() == .quiescent)
      let before = watcher.notes.count
      for publisher in publishers { publisher.publish() }
      for topic in Topic.all { topic.find(directory).publish() }
      #expect(watcher.notes.count == before)
      #expect(directory.publisher(of: Int.self).subscriberCount == 0)
    }

    @Test("a delivery under way elsewhere is in flight; all parts are waited for, also when cancelled before")
    func required_3_04_inFlight() async throws {
      let directory = PublisherDirectory()
      let publishers = Topic.all.prefix(3).map { $0.find(directory) }
      let (gate, ended) = (Gate(), Event())
      defer { gate.open() }
      let watcher = Watcher { publication in
        guard publication.version == 1 else { return }
        gate.pass()
        ended.happen()
      }
      let handle = directory.subscribeToAll(watcher, on: .immediate)
      for publisher in publishers.dropLast() { OwnThread.start { publisher.publish() } }
      await gate.waitUntilHeld(threads: 2)
      #expect(try await OwnThread.result { handle.cancel() } == .inFlight)
      #expect(handle.cancel() == .alreadyCancelled)
      let waited = Event()
      let waiter = Task {
        await handle.cancelAndWait()
        #expect(ended.count == 2)
        waited.happen()
      }
      // A turn of every publisher: who would be let through early has been.
      for publisher in publishers { publisher.publish() }
      #expect(waited.count == 0)
      gate.open()
      try await waited.wait()
      await waiter.value
      #expect(watcher.notes.count == 3 + 2)
      await handle.cancelAndWait()
    }

    @Test("inside its own delivery it is reentrant, and in flight wins over that")
    func required_3_02_reentrant() async {
      let directory = PublisherDirectory()
      let (numbers, names) = (directory.publisher(of: Int.self), directory.publisher(of: String.self))
      let (gate, outcomes) = (Gate(), Journal<CancelOutcome>())
      defer { gate.open() }
      let handles = Journal<DirectorySubscription>()
      let watcher = Watcher { publication in
        if publication.version == 1 { for handle in handles.entries { outcomes.add(handle.cancel()) } }
        if publication.version == 2 { gate.pass() }
      }
      handles.add(directory.subscribeToAll(watcher, on: .immediate))
      numbers.startLoading()
      #expect(outcomes.entries == [.reentrant])
      names.startLoading()
      numbers.startLoading()
      #expect(watcher.notes.count == 3)

      let second = Journal<DirectorySubscription>()
      let other = Watcher { publication in
        if publication.source == names.id, publication.version == 2 { gate.pass() }
        if publication.source == numbers.id, publication.version == 3 {
          for handle in second.entries { outcomes.add(handle.cancel()) }
        }
      }
      second.add(directory.subscribeToAll(other, on: .immediate))
      OwnThread.start { names.startLoading() }
      await gate.waitUntilHeld()
      numbers.startLoading()
      #expect(outcomes.entries == [.reentrant, .inFlight])
    }

    @Test("a delivery that is still under way for a part that was ended before isn't hidden by the others' silence")
    func required_3_02_endedBefore() async throws {
      let directory = PublisherDirectory()
      let numbers = directory.publisher(of: Int.self)
      _ = directory.publisher(of: String.self)
      let gate = Gate()
      defer { gate.open() }
      let watcher = Watcher { if $0.version == 1 { gate.pass() } }
      let handle = directory.subscribeToAll(watcher, on: .immediate)
      OwnThread.start { numbers.startLoading() }
      await gate.waitUntilHeld()
      #expect(numbers.unsubscribe(watcher) == .inFlight)
      #expect(handle.cancel() == .inFlight)
    }

    @Test("there is one subscription for each living publisher; pending states are skipped by a cancel")
    func required_2_04_parts() {
      let (directory, executor) = (PublisherDirectory(), ManualExecutor())
      let numbers = directory.publisher(of: Int.self)
      let watcher = Watcher()
      let handle = directory.subscribeToAll(watcher, on: .executor(executor))
      for _ in 0..<40 { directory.register(Publisher<String>()) }
      executor.runAll()
      #expect(handle.subscriptions.map(\.source) == [numbers.id])
      let names = directory.publisher(of: String.self)
      let parts = handle.subscriptions
      #expect(Set(parts.map(\.source)) == [numbers.id, names.id])
      #expect(parts.map(\.statistics.pending).reduce(0, +) == 1)
      #expect(handle.cancel() == .quiescent)
      #expect(handle.subscriptions.isEmpty)
      #expect(parts.map(\.statistics.skipped).reduce(0, +) == 1)
      executor.runAll()
      #expect(watcher.notes.count == 41)
    }

    @Test("its description says who listens, where, and to how many publishers")
    func description() {
      let directory = PublisherDirectory()
      _ = directory.publisher(of: Int.self)
      let watcher = Watcher()
      let handle = directory.subscribeToAll(watcher, on: .background, buffering: .newest(3))
      #expect("\(handle)" == "Watcher on background of all publishers, 1 subscription")
      #expect(handle.subscriptions.first?.context == .background)
      #expect(handle.subscriptions.first?.buffering == .newest(3))
      handle.cancel()
      #expect("\(handle)" == "Watcher on background of all publishers, ended")
    }

    @Test("cancelled from the subscriber's deinit it has ended already")
    func required_3_01_deinit() {
      final class Leaver: Subscriber {
        let handles = Journal<DirectorySubscription>()
        let outcomes: Journal<CancelOutcome>
        init(_ outcomes: Journal<CancelOutcome>) { self.outcomes = outcomes }
        func receive(_ publication: any AnyPublication) {}
        deinit { for handle in handles.entries { outcomes.add(handle.cancel()) } }
      }
      let directory = PublisherDirectory()
      _ = directory.publisher(of: Int.self)
      let outcomes = Journal<CancelOutcome>()
      do {
        let leaver = Leaver(outcomes)
        leaver.handles.add(directory.subscribeToAll(leaver, on: .immediate))
      }
      #expect(outcomes.entries == [.alreadyCancelled])
    }
  }
}
