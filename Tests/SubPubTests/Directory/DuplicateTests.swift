import SubPub
import SubPubTesting
import Testing

extension DirectoryTests {
  @Suite("subscribeToAll subscribes an object once, independently of its own subscriptions")
  struct DuplicateTests {
    let directory = PublisherDirectory()
    let listener = Listener()

    @Test("a second call returns the existing subscription, without a replay")
    func required_2_06_duplicate() {
      let numbers = directory.publisher(of: Int.self)
      let handle = directory.subscribeToAll(listener, on: .immediate, buffering: .latest)
      #expect(directory.subscribeToAll(listener, on: .background) === handle)
      numbers.startLoading()
      #expect(listener.lines == ["Int 0", "Int 1"])
      #expect(handle.subscriptions.map(\.context) == [.immediate])
      #expect(handle.subscriptions.map(\.buffering) == [.latest])

      handle.cancel()
      let second = directory.subscribeToAll(listener, on: .immediate)
      #expect(second !== handle)
      #expect(listener.lines == ["Int 0", "Int 1", "Int 1"])
      #expect(PublisherDirectory().subscribeToAll(listener, on: .immediate) !== second)
    }

    @Test("subscriptions that the object makes itself are independent of it, whichever comes first")
    func required_2_06_independent() {
      let numbers = directory.publisher(of: Int.self)
      let own = numbers.subscribe(listener, on: .immediate)
      let handle = directory.subscribeToAll(listener, on: .immediate)
      #expect(listener.lines == ["Int 0", "Int 0"])
      #expect(numbers.subscribe(listener, on: .immediate) === own)
      let names = directory.publisher(of: String.self)
      let later = names.subscribe(listener, on: .immediate, ifDuplicate: .replaceSameType)
      #expect(listener.lines.count == 4)
      numbers.startLoading()
      names.startLoading()
      #expect(listener.lines.count == 8)
      #expect(own.cancel() == .quiescent)
      #expect(later.cancel() == .quiescent)
      numbers.startLoading()
      #expect(listener.lines.count == 9)
      #expect(handle.cancel() == .quiescent)
    }

    @Test("unsubscribe ends it at one publisher for good, and nowhere else")
    func required_3_02_unsubscribe() {
      let numbers = directory.publisher(of: Int.self)
      let handle = directory.subscribeToAll(listener, on: .immediate)
      #expect(numbers.unsubscribe(listener) == .quiescent)
      directory.register(numbers)
      directory.subscribeToAll(listener, on: .immediate)
      // Enough publishers to make the directory remove ended subscriptions.
      for topic in topics { _ = directory.find(topic) }
      for _ in 0..<40 { directory.register(Publisher<Character>()) }
      #expect(directory.publisher(of: Int.self) === numbers)
      numbers.startLoading()
      #expect((listener.versions(of: numbers.id), listener.notes.count) == ([0], 1 + 12 + 40))
      #expect((numbers.subscriberCount, handle.isActive) == (0, true))
    }

    @Test("unsubscribe at one publisher holds even against a thread that is about to subscribe the object there")
    func required_2_06_late() async throws {
      let (directory, gate, end) = (PublisherDirectory(), Gate(), Event())
      defer { gate.open() }
      let first = Listener { if $0.valueType is Int.Type { gate.pass() } }
      let (second, executor) = (Listener(), ManualExecutor())
      directory.subscribeToAll(first, on: .immediate)
      directory.subscribeToAll(second, on: .executor(executor))
      OwnThread.start {
        _ = directory.publisher(of: Int.self)
        end.happen()
      }
      try await gate.waitUntilHeld()
      // The other thread is about to subscribe the second one.
      let numbers = directory.publisher(of: Int.self)
      executor.runAll()
      #expect(second.lines == ["Int 0"])
      numbers.unsubscribe(second)
      for _ in 0..<40 { directory.register(Publisher<String>()) }
      gate.open()
      try await end.wait()
      executor.runAll()
      #expect((second.versions(of: numbers.id), numbers.subscriberCount) == ([0], 1))
    }

    @Test("a subscription survives the removal of the one before it, whose actor was released")
    func required_2_06_successor() {
      let (directory, executor) = (PublisherDirectory(), ManualExecutor())
      let (listener, successor) = (Listener(), Journal<DirectorySubscription>())
      let standing = directory.publisher(of: DeinitAction.self)
      do {
        let host = ManualHost(executor)
        directory.subscribeToAll(listener, on: .actor(host))
        // Pending for the old subscription; its deinit makes the new one.
        standing.updateData(DeinitAction { successor.add(directory.subscribeToAll(listener, on: .immediate)) })
        standing.reset()
        withExtendedLifetime(host) {}
      }
      #expect("\(directory)".hasSuffix("subscribers: 0)"))
      #expect(successor.entries.count == 1)
      #expect(directory.subscribeToAll(listener, on: .immediate) === successor.entries.first)
      _ = directory.publisher(of: Int.self)
      #expect(listener.lines == ["DeinitAction 2", "Int 0"])
      executor.runAll()
    }

    @Test("a publisher that is released while others are subscribed to isn't subscribed to")
    func required_3_06_ended() {
      let standing = directory.publisher(of: Int.self)
      let releases = Locked<[Publisher<String>]>([Publisher(label: "passing")])
      // Keeps the last state.
      let states = releases.withLock { $0[0].states() }
      if let passing = releases.withLock({ $0.first }) { directory.register(passing) }
      let listener = Listener { _ in _ = releases.withLock { passing in passing.popLast() } }
      directory.subscribeToAll(listener, on: .immediate)
      #expect(listener.lines == ["Int 0"])
      withExtendedLifetime((standing, states)) {}
    }
  }
}
