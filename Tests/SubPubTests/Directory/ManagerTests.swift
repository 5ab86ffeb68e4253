import SubPub
import SubPubTesting
import Testing

extension DirectoryTests {
  @Suite("A directory logs out its managers")
  struct ManagerTests {
    let directory = PublisherDirectory()
    let journal = Journal<String>()

    @Test("each manager that lives is called once, in the order of registration, whatever its publisher does")
    func required_1_06_2_05_order() {
      let first = ClassManager(Publisher<String>(label: "first"), in: journal)
      let second = ClassManager(Publisher<Int>(label: "second"), in: journal)
      let third = ClassManager(Publisher<Bool>(label: "third"), in: journal)
      directory.register(first)
      for _ in 0..<200 {
        let passing = ClassManager(Publisher<Double>(), in: journal)
        directory.register(passing)
      }
      for manager in [second, first, third] as [any Manager] { directory.register(manager) }
      second.publisher.updateData(1)
      #expect(directory.publisher(of: Int.self) === second.publisher)

      directory.logoutAll()
      #expect((journal.entries, second.publisher.state) == (["first", "second", "third"], .unknown))
      #expect(second.publisher.current.version == 2)
      directory.logoutAll()
      #expect(journal.entries.count == 6)
      #expect(directory.publisher(of: Double.self).label == "Double")
    }

    @Test("publishers without a manager keep their states, or are reset if that is asked for, and no others")
    func required_1_06_resettingOthers() {
      let managed = ClassManager(Publisher<Int>(label: "Int"), in: journal, keepsData: true)
      directory.register(managed)
      let family = ManagerFamily { (_: Int) in
        ClassManager(Publisher<Bool>(label: "Bool"), in: journal, keepsData: true)
      }
      directory.register(family)
      let (member, registered) = (family[1], family[2])
      directory.register(registered.publisher)
      let (mine, named) = (Publisher<String>(), Publisher<String>())
      directory.register(mine)
      directory.register(named, named: "named")
      let made = directory.publisher(of: Double.self)
      managed.publisher.updateData(1)
      member.publisher.updateData(true)
      registered.publisher.updateData(false)
      mine.updateData("mine")
      named.updateData("named")
      made.updateData(1)
      directory.logoutAll()
      #expect((mine.state, named.state, made.state) == (.loaded("mine"), .loaded("named"), .loaded(1)))
      directory.logoutAll(resettingOthers: true)
      #expect((mine.state, named.state, made.state) == (.unknown, .unknown, .unknown))
      // What a logout does to a manager's publisher is up to the manager.
      #expect((managed.publisher.state, member.publisher.state) == (.loaded(1), .loaded(true)))
      #expect(registered.publisher.state == .loaded(false))
      #expect(journal.entries == ["Int", "Bool", "Bool", "Int", "Bool", "Bool"])
    }

    @Test("a manager that is released during a load doesn't prevent the registration of another")
    func required_5_09_successor() {
      let (directory, executor, source) = (PublisherDirectory(), ManualExecutor(), Source<Int>())
      for _ in 0..<2 {
        let manager = LoadingManager<Int>(on: executor) { try await source.load() }
        directory.register(manager)
        manager.refreshIfNeeded()
        executor.runAll()
      }
      executor.runAll()
      #expect(source.cancelled == [0, 1])
    }

    @Test("a manager that only its own logout still holds doesn't prevent the registration of another")
    func required_2_05_heldByLogout() {
      let user = Locked<ClassManager<Int>?>(nil)
      let successor = Publisher<Int>(label: "successor")
      do {
        let manager = ClassManager(Publisher<Int>(label: "first"), in: journal) {
          user.withLock { $0 = nil }
          directory.register(successor)
        }
        user.withLock { $0 = manager }
        directory.register(manager)
      }
      directory.logoutAll()
      #expect(journal.entries == ["first"])
      #expect(directory.publisher(of: Int.self) === successor)
      directory.logoutAll()
      #expect(journal.entries == ["first"])
    }

    @Test("a struct manager is held until the directory is released; its type and publisher identify it")
    func required_2_05_value() {
      let journal = Journal<String>()
      weak let publisher: Publisher<Int>?
      do {
        let directory = PublisherDirectory()
        do {
          let made = Publisher<Int>(label: "numbers")
          publisher = made
          directory.register(StructManager(publisher: made, journal: journal))
          directory.register(StructManager(publisher: made, journal: journal))
        }
        #expect(publisher != nil)
        directory.logoutAll()
        #expect(journal.entries == ["value numbers"])
        let object = ClassManager(directory.publisher(of: Int.self), in: journal)
        directory.register(object)
        directory.logoutAll()
        #expect(journal.entries == ["value numbers", "value numbers", "numbers"], "two managers of one publisher")
      }
      #expect(publisher == nil)
    }

    @Test("a logout can use the directory, on its own thread and on another at the same time")
    func required_1_04_logout() async throws {
      let late = ClassManager(Publisher<Bool>(label: "late"), in: journal)
      let manager = ClassManager(Publisher<Int>(label: "numbers"), in: journal) {
        directory.register(late)
        OwnThread.runBlocking {
          directory.publisher(of: String.self).updateData("a")
          directory.subscribeToAll(Listener(), on: .immediate)
        }
      }
      directory.register(manager)
      try await OwnThread.run { directory.logoutAll() }
      #expect(journal.entries == ["numbers"], "a manager that is registered in the meantime isn't logged out")
      try await OwnThread.run { directory.logoutAll() }
      #expect(journal.entries == ["numbers", "numbers", "late"])
    }

    @Test("while others are registered and released, a living manager gets each logout once")
    func stochastic_1_06_logouts() async throws {
      for _ in 0..<100 {
        let (directory, journal, others) = (PublisherDirectory(), Journal<String>(), Journal<String>())
        let standing = ClassManager(Publisher<Int>(label: "standing"), in: journal)
        directory.register(standing)
        try await Race.run(threads: 4) { thread in
          switch thread {
          case 0, 1: for _ in 0..<10 { directory.logoutAll() }
          case 2:
            for _ in 0..<20 { directory.register(ClassManager(Publisher<String>(), in: others)) }
          default:
            for _ in 0..<20 { directory.register(standing) }
          }
        }
        #expect(journal.entries.count == 20)
      }
    }
  }
}
