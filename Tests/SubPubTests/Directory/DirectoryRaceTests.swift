import SubPub
import SubPubTesting
import Synchronization
import Testing

extension DirectoryTests {
  @Suite("Threads can register, subscribe and cancel at the same time", .hangLimit)
  struct DirectoryRaceTests {
    @Test("every subscriber joins every publisher once, at its current state, and a new publisher has all earlier ones")
    func stochastic_2_01_exactlyOnce() async throws {
      for _ in 0..<TestRounds.of(70, full: 200) {
        let directory = PublisherDirectory()
        let (early, listeners) = ((0..<3).map { _ in Listener() }, (0..<3).map { _ in Listener() })
        for listener in early { directory.subscribeToAll(listener, on: .immediate) }
        let (mine, found) = (Journal<Publisher<Int>>(), Journal<Publisher<Int>>())
        try await Race.run(threads: 4) { thread in
          switch thread {
          case 0:
            for listener in listeners { directory.subscribeToAll(listener, on: .immediate) }
          case 1:
            for topic in topics.prefix(4) {
              let publisher = Publisher<Int>(label: "mine")
              mine.add(publisher)
              directory.register(publisher, named: topic)
              for _ in 0..<5 { publisher.startLoading() }
            }
          default:
            for topic in topics.dropFirst(4) {
              let publisher = directory.find(topic)
              found.add(publisher)
              publisher.startLoading()
            }
          }
        }
        for (publishers, last) in [(mine.entries, UInt64(5)), (found.entries, 2)] {
          for publisher in publishers {
            // The threads that have asked for a publisher of the same type have got the same one.
            for listener in early { #expect(listener.versions(of: publisher.id) == Array(0...last)) }
            for listener in listeners {
              let versions = listener.versions(of: publisher.id)
              let first = try #require(versions.first)
              #expect(versions == Array(first...max(first, last)))
            }
          }
        }
      }
    }

    @Test("an object that subscribes from many threads is subscribed once")
    func stochastic_2_06_once() async throws {
      for _ in 0..<TestRounds.of(70, full: 200) {
        let directory = PublisherDirectory()
        let standing = directory.publisher(of: Int.self)
        let listener = Listener()
        let handles = Journal<DirectorySubscription>()
        try await Race.run(threads: 3) { _ in handles.add(directory.subscribeToAll(listener, on: .immediate)) }
        #expect((Set(handles.entries).count, listener.lines) == (1, ["Int 0"]))
        #expect(standing.subscriberCount == 1)
      }
    }

    @Test("a type is free as soon as its publisher is released, even while other threads use the directory")
    func stochastic_2_05_freeAtOnce() async throws {
      let (directory, journal) = (PublisherDirectory(), Journal<String>())
      let isOver = Atomic<Bool>(false)
      try await Race.run(threads: 2) { thread in
        guard thread == 0 else {
          let listener = Listener()
          while !isOver.load(ordering: .relaxed) {
            for _ in 0..<100 { _ = "\(directory)" }
            directory.subscribeToAll(listener, on: .immediate).cancel()
            directory.register(ClassManager(Publisher<Bool>(), in: journal))
          }
          return
        }
        var manager = ClassManager(Publisher<Int>(), in: journal)
        for _ in 0..<TestRounds.of(6_000, full: 20_000) {
          let next = ClassManager(Publisher<Int>(), in: journal)
          manager = next
          directory.register(manager)
          // No sweep of the other thread mistakes it for the one before.
          #expect(directory.publisher(of: Int.self) === manager.publisher)
        }
        isOver.store(true, ordering: .relaxed)
      }
    }

    /// Counts the deliveries that begin after a cancel has returned.
    private final class LateDeliveries: Sendable {
      let isOver = Atomic<Bool>(false)
      let count = Atomic<Int>(0)
      func note() {
        if isOver.load(ordering: .sequentiallyConsistent) { count.add(1, ordering: .relaxed) }
      }
    }

    @Test("after a quiescent cancel no delivery runs, and after inFlight only those that were under way")
    func stochastic_3_02_silence() async throws {
      let outcomes = Journal<CancelOutcome>()
      for round in 0..<TestRounds.of(200, full: 600) {
        let (directory, late) = (PublisherDirectory(), LateDeliveries())
        let listener = Listener { _ in late.note() }
        let standing = directory.publisher(of: Int.self)
        let handle = directory.subscribeToAll(listener, on: .immediate)
        try await Race.run(threads: 3) { thread in
          switch thread {
          case 0:
            // This thread and the next have at most one delivery each under way.
            for topic in topics { directory.find(topic).startLoading() }
          case 1:
            for _ in 0..<20 {
              standing.startLoading()
              directory.register(Publisher<Character>())
            }
          default:
            for _ in 0..<(round % 8) { standing.startLoading() }
            let outcome = handle.cancel()
            late.isOver.store(true, ordering: .sequentiallyConsistent)
            outcomes.add(outcome)
          }
        }
        let count = late.count.load(ordering: .relaxed)
        switch outcomes.entries.last {
        case .quiescent: #expect(count == 0)
        case .inFlight: #expect(count <= 2)
        default: Issue.record("\(String(describing: outcomes.entries.last))")
        }
        #expect(handle.cancel() == .alreadyCancelled)
        let before = listener.notes.count
        for topic in topics { directory.find(topic).startLoading() }
        #expect(listener.notes.count == before)
      }
      #expect(outcomes.entries.contains(.quiescent))
    }
  }
}
