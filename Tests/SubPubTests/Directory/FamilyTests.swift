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
    func required_5_19_all() async {
      let (executor, cache) = (ManualExecutor(), MemoryCache(limit: 1_000))
      let calls = Locked<[String]>([])
      let family = ManagerFamily { (key: String) in
        LoadingManager<Int>(on: executor, cache: cache.cache(for: key, of: Int.self)) {
          calls.withLock { $0.append(key) }
          return 7
        }
      }
      directory.register(family)
      let plain = ClassManager(Publisher<String>(label: "plain"), in: journal)
      directory.register(plain)
      let members = [family["a"], family["b"]]
      directory.refreshAllIfNeeded()
      executor.runAll()
      #expect(calls.withLock { $0.sorted() } == ["a", "b"])
      await directory.waitForCaches()
      #expect(cache.cache(for: "a", of: Int.self).read()?.value == 7)
      directory.logoutAll()
      executor.runAll()
      #expect(journal.entries == ["plain"])
      #expect(members.allSatisfy { $0.publisher.state == .unknown })
      #expect(cache.cache(for: "a", of: Int.self).read()?.value == nil)
    }

    @Test("a subscriber that is called as a manager is made can ask for it, and receives the same one")
    func required_5_19_4_01_asksForNewManager() {
      let family = makeFamily()
      let found = Locked<[ClassManager<Int>]>([])
      let listener = Listener { _ in
        let manager = family["a"]
        found.withLock { $0.append(manager) }
      }
      directory.subscribeToAll(listener, on: .immediate)
      directory.register(family)
      let made = family["a"]
      #expect(found.withLock { $0.map { $0 === made } } == [true])
      found.withLock { $0 = [] }
    }

    @Test("subscribers that are called on two threads can ask for each other's new manager")
    func required_5_19_4_01_askForEachOther() async throws {
      let (family, begun) = (makeFamily(), Locked<Set<String>>([]))
      let listener = Listener { publication in
        let key = "\(publication.source)"
        begun.withLock { _ = $0.insert(key) }
        while begun.withLock({ $0.count < 2 }) {}
        let other = family[key == "a" ? "b" : "a"]
        #expect(other.publisher.label != key)
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

    @Test("a manager of a family that is registered itself is logged out once")
    func required_5_19_1_06_once() {
      let family = makeFamily()
      let (member, other) = (family["member"], family["other"])
      directory.register(family)
      directory.register(member)
      directory.logoutAll()
      #expect(journal.entries.sorted() == ["member", "other"])
      withExtendedLifetime((member, other)) {}
    }

    @Test("a manager that several keys and families share is logged out once")
    func required_5_19_1_06_shared() {
      let shared = ClassManager(Publisher<Int>(label: "shared"), in: journal)
      let first = ManagerFamily { (_: Int) in shared }
      let second = ManagerFamily { (_: String) in shared }
      directory.register(first)
      directory.register(second)
      _ = (first[1], first[2], second["a"])
      first.logoutAll()
      #expect(journal.entries == ["shared"])
      directory.logoutAll()
      #expect(journal.entries == ["shared", "shared"])
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

    @Test("waitForCaches() waits for the managers of families")
    func required_5_19_5_10_caches() {
      let (executor, cache) = (ManualExecutor(), ProbeCache())
      let family = ManagerFamily { (_: String) in LoadingManager<Int>(on: executor, cache: cache) { 7 } }
      directory.register(family)
      let manager = family["a"]
      cache.hold(.write)
      manager.set(1)
      let caller = Caller(on: executor) { [directory] in await directory.waitForCaches() }
      executor.runAll()
      #expect((caller.result == nil, cache.operations) == (true, [.write]))
      cache.release(.write)
      executor.runAll()
      #expect((caller.result != nil, cache.content) == (true, 1))
    }

    @Test("a directory and a family hold each other weakly")
    func required_5_19_2_05_weak() {
      let family = makeFamily()
      weak let released = {
        let directory = PublisherDirectory()
        directory.register(family)
        return directory
      }()
      #expect(released == nil)
      // It no longer tells that directory about new managers.
      #expect(family["a"].publisher.subscriberCount == 0)

      weak let gone = {
        let family = makeFamily()
        directory.register(family)
        return family
      }()
      #expect(gone == nil)
      directory.logoutAll()
      #expect(journal.entries.isEmpty)
    }
  }
}
