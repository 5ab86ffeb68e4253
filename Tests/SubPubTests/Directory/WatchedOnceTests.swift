import SubPub
import SubPubTesting
import Testing

extension DirectoryTests {
  @Suite("An object watches a publisher once, besides what it subscribes there itself")
  struct WatchedOnceTests {
    @Test("who watches already gets the standing subscription, and no replay")
    func required_2_06_duplicate() {
      let directory = PublisherDirectory()
      let numbers = directory.publisher(of: Int.self)
      let watcher = Watcher()
      let handle = directory.subscribeToAll(watcher, on: .immediate, buffering: .latest)
      #expect(directory.subscribeToAll(watcher, on: .background) === handle)
      numbers.startLoading()
      #expect(watcher.lines == ["Int 0", "Int 1"])
      #expect(handle.subscriptions.map(\.context) == [.immediate])
      #expect(handle.subscriptions.map(\.buffering) == [.latest])

      handle.cancel()
      let second = directory.subscribeToAll(watcher, on: .immediate)
      #expect(second !== handle)
      #expect(watcher.lines == ["Int 0", "Int 1", "Int 1"])
      #expect(PublisherDirectory().subscribeToAll(watcher, on: .immediate) !== second)
    }

    @Test("what the object subscribes itself is independent of it, whichever comes first")
    func required_2_06_independent() {
      let directory = PublisherDirectory()
      let numbers = directory.publisher(of: Int.self)
      let watcher = Watcher()
      let own = numbers.subscribe(watcher, on: .immediate)
      let handle = directory.subscribeToAll(watcher, on: .immediate)
      #expect(watcher.lines == ["Int 0", "Int 0"])
      #expect(numbers.subscribe(watcher, on: .immediate) === own)
      let names = directory.publisher(of: String.self)
      let later = names.subscribe(watcher, on: .immediate, ifDuplicate: .replaceSameType)
      #expect(watcher.lines.count == 4)
      numbers.startLoading()
      names.startLoading()
      #expect(watcher.lines.count == 8)
      #expect(own.cancel() == .quiescent)
      #expect(later.cancel() == .quiescent)
      numbers.startLoading()
      #expect(watcher.lines.count == 9)
      #expect(handle.cancel() == .quiescent)
    }

    @Test("unsubscribe at one publisher ends it there, for good, and nowhere else")
    func required_3_02_unsubscribe() {
      let directory = PublisherDirectory()
      let numbers = directory.publisher(of: Int.self)
      let watcher = Watcher()
      let handle = directory.subscribeToAll(watcher, on: .immediate)
      #expect(numbers.unsubscribe(watcher) == .quiescent)
      directory.register(numbers)
      directory.subscribeToAll(watcher, on: .immediate)
      // So many that ended parts are looked for.
      for topic in Topic.all { _ = topic.find(directory) }
      for _ in 0..<40 { directory.register(Publisher<Character>()) }
      #expect(directory.publisher(of: Int.self) === numbers)
      numbers.startLoading()
      #expect(watcher.versions(of: numbers.id) == [0])
      #expect(watcher.notes.count == 1 + 12 + 40)
      #expect(numbers.subscriberCount == 0)
      #expect(handle.isActive)
    }

    @Test("who was ended at a publisher stays so, also when one who was to have it join comes late")
    func required_2_06_late() async throws {
      let (directory, gate, end) = (PublisherDirectory(), Gate(), Event())
      defer { gate.open() }
      let first = Watcher { if $0.valueType is Int.Type { gate.pass() } }
      let (second, executor) = (Watcher(), ManualExecutor())
      directory.subscribeToAll(first, on: .immediate)
      directory.subscribeToAll(second, on: .executor(executor))
      OwnThread.start {
        _ = directory.publisher(of: Int.self)
        end.happen()
      }
      await gate.waitUntilHeld()
      // The other thread has the second one before it.
      let numbers = directory.publisher(of: Int.self)
      executor.runAll()
      #expect(second.lines == ["Int 0"])
      numbers.unsubscribe(second)
      for _ in 0..<40 { directory.register(Publisher<String>()) }
      gate.open()
      try await end.wait()
      executor.runAll()
      #expect(second.versions(of: numbers.id) == [0])
      #expect(numbers.subscriberCount == 1)
    }

    @Test("a watch that begins while the one before it, whose actor has died, is swept away stands like any other")
    func required_2_06_successor() {
      let (directory, executor) = (PublisherDirectory(), ManualExecutor())
      let (watcher, successor) = (Watcher(), Journal<DirectorySubscription>())
      let standing = directory.publisher(of: LastWords.self)
      do {
        let host = ManualHost(executor)
        directory.subscribeToAll(watcher, on: .actor(host))
        // It is pending, dies with the watch, and brings the next one.
        standing.updateData(LastWords { successor.add(directory.subscribeToAll(watcher, on: .immediate)) })
        standing.reset()
        withExtendedLifetime(host) {}
      }
      #expect("\(directory)".hasSuffix("subscribers: 0)"))
      #expect(successor.entries.count == 1)
      #expect(directory.subscribeToAll(watcher, on: .immediate) === successor.entries.first)
      _ = directory.publisher(of: Int.self)
      #expect(watcher.lines == ["LastWords 2", "Int 0"])
      executor.runAll()
    }

    @Test("nobody joins a publisher that has ended while others were joined")
    func required_3_06_ended() {
      let directory = PublisherDirectory()
      let standing = directory.publisher(of: Int.self)
      let releases = Locked<[Publisher<String>]>([Publisher(label: "passing")])
      // A sequence keeps the last state.
      let states = releases.withLock { $0[0].states() }
      if let passing = releases.withLock({ $0.first }) { directory.register(passing) }
      let watcher = Watcher { _ in _ = releases.withLock { passing in passing.popLast() } }
      directory.subscribeToAll(watcher, on: .immediate)
      #expect(watcher.lines == ["Int 0"])
      withExtendedLifetime((standing, states)) {}
    }
  }
}
