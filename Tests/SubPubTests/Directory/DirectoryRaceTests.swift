import SubPub
import SubPubTesting
import Synchronization
import Testing

extension DirectoryTests {
  @Suite("Registering, watching and cancelling at the same time", .timeLimit(.minutes(4)))
  struct DirectoryRaceTests {
    @Test("everyone who watches joins every publisher exactly once, at its current state, and misses nothing then")
    func stochastic_2_01_exactlyOnce() async throws {
      for _ in 0..<200 {
        let directory = PublisherDirectory()
        let watchers = (0..<3).map { _ in Watcher() }
        let (mine, found) = (Journal<AnyTopicPublisher>(), Journal<AnyTopicPublisher>())
        try await Race.run(threads: 4) { thread in
          switch thread {
          case 0:
            for watcher in watchers { directory.subscribeToAll(watcher, on: .immediate) }
          case 1:
            for topic in Topic.all.prefix(4) {
              let publisher = topic.make("mine")
              mine.add(publisher)
              publisher.register(directory)
              for _ in 0..<5 { publisher.publish() }
            }
          default:
            for topic in Topic.all.dropFirst(4) {
              let publisher = topic.find(directory)
              found.add(publisher)
              publisher.publish()
            }
          }
        }
        for (publishers, last) in [(mine.entries, UInt64(5)), (found.entries, 2)] {
          for publisher in publishers {
            for watcher in watchers {
              let versions = watcher.versions(of: publisher.id)
              // The replay first; no gap, nothing twice, up to the last.
              let first = try #require(versions.first)
              #expect(versions == Array(first...max(first, last)))
            }
          }
        }
      }
    }

    @Test("whoever has a publisher from the directory has it with everyone who watched before")
    func stochastic_2_01_nobodyIsLate() async throws {
      for _ in 0..<300 {
        let directory = PublisherDirectory()
        let watchers = (0..<8).map { _ in Watcher() }
        for watcher in watchers { directory.subscribeToAll(watcher, on: .immediate) }
        let ids = Journal<PublisherID>()
        try await Race.run(threads: 4) { thread in
          for topic in Topic.all.prefix(3) {
            let publisher = topic.find(directory)
            publisher.publish()
            ids.add(publisher.id)
          }
        }
        for id in Set(ids.entries) {
          for watcher in watchers { #expect(watcher.versions(of: id) == [0, 1, 2, 3, 4]) }
        }
      }
    }

    @Test("one object that asks from many threads watches once")
    func stochastic_2_06_once() async throws {
      for _ in 0..<200 {
        let directory = PublisherDirectory()
        let standing = directory.publisher(of: Int.self)
        let watcher = Watcher()
        let handles = Journal<DirectorySubscription>()
        try await Race.run(threads: 3) { _ in handles.add(directory.subscribeToAll(watcher, on: .immediate)) }
        #expect(Set(handles.entries).count == 1)
        #expect(watcher.lines == ["Int 0"])
        #expect(standing.subscriberCount == 1)
      }
    }

    @Test("a type is free as soon as its publisher was released, whoever looks through the directory meanwhile")
    func stochastic_2_05_freeAtOnce() async throws {
      let (directory, journal) = (PublisherDirectory(), Journal<String>())
      let isOver = Atomic<Bool>(false)
      try await Race.run(threads: 2) { thread in
        guard thread == 0 else {
          let watcher = Watcher()
          while !isOver.load(ordering: .relaxed) {
            for _ in 0..<100 { _ = "\(directory)" }
            directory.subscribeToAll(watcher, on: .immediate).cancel()
            directory.register(CountingManager(Publisher<Bool>(), in: journal))
          }
          return
        }
        var manager = CountingManager(Publisher<Int>(), in: journal)
        for _ in 0..<2_000 {
          let next = CountingManager(Publisher<Int>(), in: journal)
          manager = next
          directory.register(manager)
        }
        isOver.store(true, ordering: .relaxed)
      }
    }

    /// What came before and after a cancel had returned.
    private final class Silence: Sendable {
      let isOver = Atomic<Bool>(false)
      let late = Atomic<Int>(0)
      func note() {
        if isOver.load(ordering: .sequentiallyConsistent) { late.add(1, ordering: .relaxed) }
      }
    }

    @Test("after a quiescent cancel nothing comes from anywhere, and after one in flight at most what was under way")
    func stochastic_3_02_silence() async throws {
      let outcomes = Journal<CancelOutcome>()
      for round in 0..<600 {
        let (directory, silence) = (PublisherDirectory(), Silence())
        let watcher = Watcher { _ in silence.note() }
        let standing = directory.publisher(of: Int.self)
        let handle = directory.subscribeToAll(watcher, on: .immediate)
        try await Race.run(threads: 3) { thread in
          switch thread {
          case 0:
            // The deliveries that are under way are of these two threads: at most one each.
            for topic in Topic.all { topic.find(directory).publish() }
          case 1:
            for _ in 0..<20 {
              standing.startLoading()
              directory.register(Publisher<Character>())
            }
          default:
            for _ in 0..<(round % 8) { standing.startLoading() }
            let outcome = handle.cancel()
            silence.isOver.store(true, ordering: .sequentiallyConsistent)
            outcomes.add(outcome)
          }
        }
        let late = silence.late.load(ordering: .relaxed)
        switch outcomes.entries.last {
        case .quiescent: #expect(late == 0)
        case .inFlight: #expect(late <= 2)
        default: Issue.record("\(String(describing: outcomes.entries.last))")
        }
        #expect(handle.cancel() == .alreadyCancelled)
        let before = watcher.notes.count
        for topic in Topic.all { topic.find(directory).publish() }
        #expect(watcher.notes.count == before)
      }
      #expect(outcomes.entries.contains(.quiescent))
    }

    @Test("of two who cancel at once, the second doesn't return before the last part is closed")
    func stochastic_3_01_twoCancels() async throws {
      for _ in 0..<400 {
        let (directory, silence) = (PublisherDirectory(), Silence())
        let publishers = Topic.all.map { $0.find(directory) }
        let watcher = Watcher { _ in silence.note() }
        let handle = directory.subscribeToAll(watcher, on: .immediate)
        let outcomes = Journal<CancelOutcome>()
        try await Race.run(threads: 3) { thread in
          if thread == 0 {
            for publisher in publishers { publisher.publish() }
          } else {
            outcomes.add(handle.cancel())
            silence.isOver.store(true, ordering: .sequentiallyConsistent)
          }
        }
        #expect(silence.late.load(ordering: .relaxed) <= 1)
        #expect(outcomes.entries.filter { $0 == .alreadyCancelled }.count == 1)
      }
    }
  }
}
