import SubPub
import SubPubTesting
import Testing

extension DirectoryTests {
  @Suite("A directory knows the managers of a family")
  struct FamilyTests {
    let directory = PublisherDirectory()
    let journal = Journal<String>()

    func makeFamily(
      onMake: @escaping @Sendable (ClassManager<Int>) -> Void = { _ in }
    ) -> ManagerFamily<String, ClassManager<Int>> {
      ManagerFamily { [journal] key in
        let manager = ClassManager(Publisher<Int>(label: key), in: journal)
        onMake(manager)
        return manager
      }
    }

    @Test("subscribers of the directory subscribe to every manager, present and future")
    func required_5_19_2_01_subscribers() {
      let (family, before, after) = (makeFamily(), Listener(), Listener())
      let present = family["present"]
      directory.subscribeToAll(before, on: .immediate)
      directory.register(family)
      directory.register(family)
      // Whoever has a manager may publish at once, and nothing of that is missed.
      let future = family["future"]
      future.publisher.updateData(1)
      directory.subscribeToAll(after, on: .immediate)
      present.publisher.updateData(2)
      #expect(before.lines == ["present 0", "future 0", "future 1", "present 1"])
      #expect(after.lines == ["present 0", "future 1", "present 1"])
      // Nobody finds their publishers by their type.
      #expect(directory.publisher(of: Int.self).label == "Int")
    }

    @Test("the directory logs out, refreshes and awaits the managers of a family as it does others")
    func required_5_19_5_10_all() {
      let (executor, cache) = (ManualExecutor(), ProbeCache())
      let family = ManagerFamily { (_: String) in LoadingManager<Int>(on: executor, cache: cache) { 7 } }
      directory.register(family)
      let plain = ClassManager(Publisher<String>(label: "plain"), in: journal)
      directory.register(plain)
      let (member, listener) = (family["a"], Recorder<Int>())
      member.publisher.subscribe(listener, on: .immediate)
      cache.hold(.write)
      directory.refreshAllIfNeeded()
      executor.runAll()
      #expect(member.publisher.state == .loaded(7))
      let caller = Caller(on: executor) { [directory] in await directory.waitForCaches() }
      executor.runAll()
      #expect((caller.result == nil, cache.operations) == (true, [.read, .write]))
      cache.release(.write)
      executor.runAll()
      #expect((caller.result != nil, cache.content) == (true, 7))
      directory.logoutAll()
      executor.runAll()
      #expect((journal.entries, member.publisher.state, cache.content) == (["plain"], .unknown, nil))
    }

    @Test("subscribers that are called on two threads can ask for the new manager, and for each other's")
    func required_5_19_4_01_askForEachOther() async throws {
      let (family, begun) = (makeFamily(), Locked<Set<String>>([]))
      let listener = Listener { publication in
        let key = "\(publication.source)"
        begun.withLock { _ = $0.insert(key) }
        while begun.withLock({ $0.count < 2 }) {}
        #expect(family[key].publisher.id == publication.source)
        #expect(family[key == "a" ? "b" : "a"].publisher.label != key)
      }
      directory.subscribeToAll(listener, on: .immediate)
      directory.register(family)
      let made = Locked<[ClassManager<Int>]>([])
      try await Race.run(threads: 2) { thread in
        let manager = family[thread == 0 ? "a" : "b"]
        made.withLock { $0.append(manager) }
      }
      #expect(made.withLock { $0.compactMap(\.publisher.label).sorted() } == ["a", "b"])
      #expect(listener.lines.sorted() == ["a 0", "b 0"])
    }

    @Test("a manager that two families share is logged out once, though nobody has registered it", arguments: [0, 1])
    func required_5_19_1_06_twoFamilies(owner: Int) {
      let shared = ClassManager(Publisher<Int>(label: "shared"), in: journal)
      let families = (0..<2).map { _ in ManagerFamily { (_: Int) in shared } }
      directory.register(families[owner])
      directory.register(families[1 - owner])
      for family in families { _ = family[1] }
      withExtendedLifetime(families) {
        directory.logoutAll()
        #expect(journal.entries == ["shared"])
        // Nor if several keys have it, or it is registered itself.
        _ = families[0][2]
        directory.register(shared)
        directory.logoutAll()
        #expect(journal.entries == ["shared", "shared"])
        families[0].logoutAll()
        #expect(journal.entries == ["shared", "shared", "shared"])
      }
    }

    @Test("a manager is alive as soon as it is made, so a logout while it is introduced reaches it")
    func required_5_19_1_06_introduced() {
      let family = makeFamily { $0.publisher.updateData(1) }
      let (first, last) = (Listener(), PublisherDirectory())
      let logsOut = Listener { [journal] publication in
        if publication.version == 1, journal.entries.isEmpty { last.logoutAll() }
      }
      directory.subscribeToAll(logsOut, on: .immediate)
      directory.register(family)
      last.subscribeToAll(first, on: .immediate)
      last.register(family)
      let manager = family["a"]
      #expect((journal.entries, manager.publisher.state) == (["a"], .unknown))
    }

    @Test("a directory and a family hold each other weakly")
    func required_5_19_2_05_weak() {
      let family = makeFamily()
      weak let released = {
        let directory = PublisherDirectory()
        directory.register(family)
        return directory
      }()
      for _ in 0..<1_000 { PublisherDirectory().register(family) }
      #expect(released == nil)
      // It forgets them, and no longer tells them about new managers.
      #expect((family.observerCount, family["a"].publisher.subscriberCount) == (0, 0))

      weak let gone = {
        let family = makeFamily()
        directory.register(family)
        return family
      }()
      #expect(gone == nil)
      directory.logoutAll()
      #expect(journal.entries.isEmpty)
    }

    // Threads that ask for managers and log out at the same time.

    @Test("whoever receives a manager finds it subscribed to, even while another thread introduces it")
    func required_5_19_2_01_beforeOthers() async throws {
      let (family, gate, isFirst) = (makeFamily(), Gate(), Locked<Bool?>(true))
      defer { gate.open() }
      let held = Listener { _ in if isFirst.withLock({ $0.take() }) == true { gate.pass() } }
      let (other, third, last) = (Listener(), Listener(), PublisherDirectory())
      directory.subscribeToAll(held, on: .immediate)
      directory.subscribeToAll(other, on: .immediate)
      directory.register(family)
      last.subscribeToAll(third, on: .immediate)
      last.register(family)
      async let first = OwnThread.result { family["a"] }
      try await gate.waitUntilHeld()
      let second = try await OwnThread.result { (family["a"], family.existing("a")) }
      #expect(second.0.publisher.subscriberCount == 3)
      #expect(second.1 === second.0)
      gate.open()
      let made = try await first
      #expect(made === second.0)
      made.publisher.updateData(1)
      for listener in [held, other, third] { #expect(listener.lines == ["a 0", "a 1"]) }
    }

    @Test("a manager that lost the race is unknown to subscribers of the directory")
    func required_5_19_2_01_unseen() async throws {
      let (gate, isFirst, listener) = (Gate(), Locked<Bool?>(true), Listener())
      defer { gate.open() }
      let family = makeFamily { manager in
        let isSlow = isFirst.withLock { $0.take() } == true
        manager.publisher.updateData(isSlow ? 1 : 2)
        if isSlow { gate.pass() }
      }
      directory.subscribeToAll(listener, on: .immediate)
      directory.register(family)
      async let first = OwnThread.result { family["a"] }
      try await gate.waitUntilHeld()
      let second = try await OwnThread.result { family["a"] }
      gate.open()
      #expect(try await first === second)
      #expect((second.publisher.state, listener.lines) == (.loaded(2), ["a 1"]))
      #expect("\(directory)" == "PublisherDirectory(publishers: 1, subscribers: 1)")
    }

    @Test("a directory's logout reaches a manager that is being made")
    func required_5_19_1_06_beingMade() async throws {
      let gate = Gate()
      defer { gate.open() }
      let family = makeFamily { manager in
        manager.publisher.updateData(1)
        gate.pass()
      }
      directory.register(family)
      async let manager = OwnThread.result { family["a"] }
      try await gate.waitUntilHeld()
      directory.logoutAll()
      gate.open()
      #expect(try await manager.publisher.state == .unknown)
      #expect(journal.entries == ["a"])
    }
  }
}
