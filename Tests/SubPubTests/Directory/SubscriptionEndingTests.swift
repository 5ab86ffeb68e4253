import SubPub
import SubPubTesting
import Testing

extension DirectoryTests {
  @Suite("One cancel ends a directory subscription at every publisher")
  struct SubscriptionEndingTests {
    let directory = PublisherDirectory()
    let listener = Listener()

    @Test("after it, no created, registered or future publisher delivers", arguments: [0, 11])
    func required_3_02_everywhere(count: Int) {
      let publishers = topics.prefix(count).map(directory.find)
      let handle = directory.subscribeToAll(listener, on: .immediate)
      #expect(handle.isActive)
      #expect(handle.cancel() == .quiescent)
      #expect((handle.isActive, handle.cancel()) == (false, .alreadyCancelled))
      for publisher in publishers { publisher.startLoading() }
      for topic in topics { directory.find(topic).startLoading() }
      directory.register(Publisher<Character>())
      #expect((listener.notes.count, directory.publisher(of: Int.self).subscriberCount) == (count, 0))
    }

    @Test("it returns inFlight during deliveries on other threads, and cancelAndWait waits for all of them")
    func required_3_04_inFlight() async throws {
      let publishers = topics.prefix(3).map(directory.find)
      let (gate, ended) = (Gate(), Event())
      defer { gate.open() }
      let listener = Listener { publication in
        guard publication.version == 1 else { return }
        gate.pass()
        ended.happen()
      }
      let handle = directory.subscribeToAll(listener, on: .immediate)
      for publisher in publishers.dropLast() { OwnThread.start { publisher.startLoading() } }
      try await gate.waitUntilHeld(2)
      #expect(try await OwnThread.result { handle.cancel() } == .inFlight)
      #expect(handle.cancel() == .alreadyCancelled)
      let waiter = Trial {
        await handle.cancelAndWait()
        #expect(ended.count == 2)
      }
      #expect(!waiter.run().isOver)
      // A turn of every publisher would have resumed a waiter that doesn't wait for all.
      for publisher in publishers { publisher.startLoading() }
      #expect(!waiter.run().isOver)
      gate.open()
      try await waiter.finish()
      #expect(listener.notes.count == 3 + 2)
      await handle.cancelAndWait()
    }

    @Test("inside its own delivery it returns reentrant, unless another is in flight", arguments: [false, true])
    func required_3_02_reentrant(isInFlight: Bool) async throws {
      let (numbers, names) = (directory.publisher(of: Int.self), directory.publisher(of: String.self))
      let (gate, handles, outcomes) = (Gate(), Journal<DirectorySubscription>(), Journal<CancelOutcome>())
      defer { gate.open() }
      let listener = Listener { publication in
        guard publication.version == 1 else { return }
        if publication.source == names.id { return gate.pass() }
        for handle in handles.entries { outcomes.add(handle.cancel()) }
      }
      handles.add(directory.subscribeToAll(listener, on: .immediate))
      if isInFlight {
        OwnThread.start { names.startLoading() }
        try await gate.waitUntilHeld()
      }
      numbers.startLoading()
      #expect(outcomes.entries == [isInFlight ? .inFlight : .reentrant])
      names.startLoading()
      numbers.startLoading()
      #expect(listener.notes.count == (isInFlight ? 4 : 3))
    }

    @Test("it returns inFlight for a delivery of a publisher from which the object has unsubscribed")
    func required_3_02_endedBefore() async throws {
      let numbers = directory.publisher(of: Int.self)
      _ = directory.publisher(of: String.self)
      let gate = Gate()
      defer { gate.open() }
      let listener = Listener { if $0.version == 1 { gate.pass() } }
      let handle = directory.subscribeToAll(listener, on: .immediate)
      OwnThread.start { numbers.startLoading() }
      try await gate.waitUntilHeld()
      #expect(numbers.unsubscribe(listener) == .inFlight)
      #expect(handle.cancel() == .inFlight)
    }

    @Test("while another cancel is running foreign code, a second one returns when all subscriptions have ended")
    func required_3_02_second() async throws {
      final class Pending: Sendable {
        let gate: Gate
        init(_ gate: Gate) { self.gate = gate }
        deinit { gate.pass() }
      }
      let (gate, executor, returned) = (Gate(), ManualExecutor(), Event())
      defer { gate.open() }
      let publishers = ["one", "two"].map { directory.publisher(of: Pending.self, named: $0) }
      let handle = directory.subscribeToAll(listener, on: .executor(executor))
      let parts = handle.subscriptions
      for publisher in publishers {
        publisher.updateData(Pending(gate))
        publisher.reset()
      }
      OwnThread.start {
        #expect(handle.cancel() == .quiescent)
        returned.happen()
      }
      // It has ended one of them, and releases what was pending there.
      try await gate.waitUntilHeld()
      #expect(parts.filter { $0.end == nil }.count == 1)
      // This one releases what was pending at the other.
      OwnThread.start { handle.cancel() }
      try await gate.waitUntilHeld(2)
      #expect(parts.map(\.end) == [.cancelled, .cancelled])
      gate.open()
      try await returned.wait()
      executor.runAll()
    }

    @Test("there is one subscription for each living publisher, and a cancel skips what is pending")
    func required_2_04_parts() {
      let (directory, executor) = (PublisherDirectory(), ManualExecutor())
      let numbers = directory.publisher(of: Int.self)
      let handle = directory.subscribeToAll(listener, on: .executor(executor))
      for _ in 0..<40 { directory.register(Publisher<String>()) }
      executor.runAll()
      #expect(handle.subscriptions.map(\.source) == [numbers.id])
      let names = directory.publisher(of: String.self)
      let parts = handle.subscriptions
      #expect(Set(parts.map(\.source)) == [numbers.id, names.id])
      #expect(parts.map(\.statistics.pending).reduce(0, +) == 1)
      #expect((handle.cancel(), handle.subscriptions.isEmpty) == (.quiescent, true))
      #expect(parts.map(\.statistics.skipped).reduce(0, +) == 1)
      executor.runAll()
      #expect(listener.notes.count == 41)
    }

    @Test("in the subscriber's deinit it returns alreadyCancelled")
    func required_3_01_deinit() {
      final class Leaver: Subscriber {
        let handles = Journal<DirectorySubscription>()
        let outcomes: Journal<CancelOutcome>
        init(_ outcomes: Journal<CancelOutcome>) { self.outcomes = outcomes }
        func receive(_ publication: any AnyPublication) {}
        deinit { for handle in handles.entries { outcomes.add(handle.cancel()) } }
      }
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
