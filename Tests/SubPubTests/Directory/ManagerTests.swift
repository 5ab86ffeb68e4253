import SubPub
import SubPubTesting
import Testing

extension DirectoryTests {
  @Suite("A directory logs managers out")
  struct ManagerTests {
    @Test("each manager is called once, in the order of registration, whatever its publisher does then")
    func required_1_06_order() {
      let (directory, journal) = (PublisherDirectory(), Journal<String>())
      let first = CountingManager(Publisher<String>(label: "first"), in: journal)
      let second = CountingManager(Publisher<Int>(label: "second"), in: journal)
      let third = CountingManager(Publisher<Bool>(label: "third"), in: journal)
      directory.register(first)
      directory.register(second)
      directory.register(first)
      directory.register(third)
      second.publisher.updateData(1)
      #expect(directory.publisher(of: Int.self) === second.publisher)

      directory.logoutAll()
      #expect(journal.entries == ["first", "second", "third"])
      #expect(second.publisher.state == .unknown)
      #expect(second.publisher.current.version == 2)
      directory.logoutAll()
      #expect(journal.entries.count == 6)
    }

    @Test("a publisher without a manager stays as it is")
    func required_1_06_plain() {
      let directory = PublisherDirectory()
      let mine = Publisher<Int>()
      directory.register(mine)
      mine.updateData(1)
      let made = directory.publisher(of: String.self)
      made.updateData("a")
      directory.logoutAll()
      #expect(mine.current.version == 1)
      #expect(made.current.version == 1)
    }

    @Test("an object is held weakly, and its type is free when it is gone")
    func required_2_05_object() {
      let (directory, journal) = (PublisherDirectory(), Journal<String>())
      let staying = CountingManager(Publisher<Int>(label: "staying"), in: journal)
      do {
        let leaving = CountingManager(Publisher<String>(label: "leaving"), in: journal)
        directory.register(leaving)
        directory.register(staying)
      }
      directory.logoutAll()
      #expect(journal.entries == ["staying"])
      #expect(directory.publisher(of: String.self).label == "String")
    }

    @Test("one that is released in the middle of a load is in no successor's way")
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

    @Test("nor is one that nobody holds any more but the logout that it is in")
    func required_2_05_heldByLogout() {
      let (directory, journal) = (PublisherDirectory(), Journal<String>())
      let user = Locked<CountingManager<Int>?>(nil)
      let successor = Publisher<Int>(label: "successor")
      do {
        let manager = CountingManager(Publisher<Int>(label: "first"), in: journal) {
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

    @Test("a value is held until the directory is released, and is the same if its type and publisher are")
    func required_2_05_value() {
      let journal = Journal<String>()
      weak let publisher: Publisher<Int>?
      do {
        let directory = PublisherDirectory()
        do {
          let made = Publisher<Int>(label: "numbers")
          publisher = made
          directory.register(ManagerValue(publisher: made, journal: journal))
          directory.register(ManagerValue(publisher: made, journal: journal))
        }
        #expect(publisher != nil)
        directory.logoutAll()
        #expect(journal.entries == ["value numbers"])
        let object = CountingManager(directory.publisher(of: Int.self), in: journal)
        directory.register(object)
        directory.logoutAll()
        #expect(journal.entries == ["value numbers", "value numbers", "numbers"], "two managers of one publisher")
      }
      #expect(publisher == nil)
    }

    @Test("a logout may use the directory, on this thread and while another does")
    func required_1_04_logout() async throws {
      let (directory, journal) = (PublisherDirectory(), Journal<String>())
      let late = CountingManager(Publisher<Bool>(label: "late"), in: journal)
      let manager = CountingManager(Publisher<Int>(label: "numbers"), in: journal) {
        directory.register(late)
        OwnThread.runBlocking {
          directory.publisher(of: String.self).updateData("a")
          directory.subscribeToAll(Watcher(), on: .immediate)
        }
      }
      directory.register(manager)
      try await OwnThread.run { directory.logoutAll() }
      #expect(journal.entries == ["numbers"], "who registers meanwhile waits for the next time")
      try await OwnThread.run { directory.logoutAll() }
      #expect(journal.entries == ["numbers", "numbers", "late"])
    }

    @Test("managers that come and go leave nothing behind, and those that stay are called in order")
    func required_2_05_many() {
      let (directory, journal) = (PublisherDirectory(), Journal<String>())
      let first = CountingManager(Publisher<Int>(label: "first"), in: journal)
      directory.register(first)
      for _ in 0..<200 {
        let passing = CountingManager(Publisher<String>(), in: journal)
        directory.register(passing)
      }
      let last = CountingManager(Publisher<Bool>(label: "last"), in: journal)
      directory.register(last)
      directory.logoutAll()
      #expect(journal.entries == ["first", "last"])
    }

    @Test("while others register and leave, everyone who stands gets each logout once")
    func stochastic_1_06_logouts() async throws {
      for _ in 0..<100 {
        let (directory, journal, others) = (
          PublisherDirectory(), Journal<String>(), Journal<String>()
        )
        let standing = CountingManager(Publisher<Int>(label: "standing"), in: journal)
        directory.register(standing)
        try await Race.run(threads: 4) { thread in
          switch thread {
          case 0, 1: for _ in 0..<10 { directory.logoutAll() }
          case 2:
            for _ in 0..<20 { directory.register(CountingManager(Publisher<String>(), in: others)) }
          default:
            for _ in 0..<20 { directory.register(standing) }
          }
        }
        #expect(journal.entries.count == 20)
      }
    }
  }
}
