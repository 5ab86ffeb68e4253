import SubPub
import SubPubTesting
import Synchronization
import Testing

extension DirectoryTests {
  @Suite("A watch keeps nobody, and leaves nothing behind")
  struct WatchLifetimeTests {
    @Test("the watcher is held weakly, and goes with everything at the next registration")
    func required_2_05_watcher() {
      let directory = PublisherDirectory()
      let numbers = directory.publisher(of: Int.self)
      weak let handle: DirectorySubscription?
      weak let part: Subscription?
      weak let probe: Watcher?
      do {
        let watcher = Watcher()
        probe = watcher
        handle = directory.subscribeToAll(watcher, on: .immediate)
        part = numbers.subscriptions.first
        #expect(handle != nil)
        #expect(part != nil)
      }
      #expect(probe == nil)
      #expect(handle?.isActive == false)
      numbers.startLoading()
      directory.register(Publisher<String>())
      #expect(handle == nil)
      // An entry that is gone from its list goes from the memory with some more.
      for _ in 0..<40 { numbers.subscribe(Watcher(), on: .immediate).cancel() }
      #expect(numbers.subscriberCount == 0)
      #expect(part == nil)
    }

    @Test("watchers that come and go leave nothing behind, without a new publisher too")
    func required_2_05_manyWatchers() {
      let directory = PublisherDirectory()
      // At places of their own.
      let others = (0..<40).map { _ in Watcher() }
      weak let first: DirectorySubscription?
      do {
        let watcher = Watcher()
        first = directory.subscribeToAll(watcher, on: .immediate)
        #expect(first != nil)
        withExtendedLifetime(watcher) {}
      }
      for watcher in others { directory.subscribeToAll(watcher, on: .immediate) }
      #expect(first == nil)
    }

    @Test("one that was cancelled goes too, while its object lives on")
    func required_3_05_cancelled() {
      let directory = PublisherDirectory()
      _ = directory.publisher(of: Int.self)
      let watcher = Watcher()
      weak let handle: DirectorySubscription?
      do {
        let standing = directory.subscribeToAll(watcher, on: .immediate)
        handle = standing
        standing.cancel()
      }
      directory.register(Publisher<String>())
      #expect(handle == nil)
    }

    @Test("a cancelled watch lets go of its parts before the cancel returns, even if the handle is kept")
    func required_3_05_keptHandle() {
      let directory = PublisherDirectory()
      let (numbers, names) = (directory.publisher(of: Int.self), directory.publisher(of: String.self))
      let watcher = Watcher()
      let handle = directory.subscribeToAll(watcher, on: .immediate)
      weak let first = numbers.subscriptions.first
      weak let second = names.subscriptions.first
      #expect(first?.isActive == true)
      #expect(second?.isActive == true)
      #expect(handle.cancel() == .quiescent)
      #expect(first == nil)
      #expect(second == nil)
      #expect(watcher.notes.count == 2)
    }

    @Test("a kept handle keeps neither the directory, nor publishers, nor what has become of them")
    func required_3_06_handle() {
      let watcher = Watcher()
      weak let directoryProbe: PublisherDirectory?
      weak let made: Publisher<Int>?
      weak let part: Subscription?
      let handle: DirectorySubscription
      do {
        let directory = PublisherDirectory()
        directoryProbe = directory
        handle = directory.subscribeToAll(watcher, on: .immediate)
        made = directory.publisher(of: Int.self)
        do {
          let passing = Publisher<String>()
          directory.register(passing)
          part = passing.subscriptions.first
        }
        for _ in 0..<40 { directory.register(Publisher<String>()) }
        #expect(part == nil, "parts at publishers that are gone go after some more")
        #expect(made != nil)
      }
      #expect(directoryProbe == nil)
      #expect(made == nil)
      #expect(!handle.isActive)
      #expect(watcher.notes.count == 42)
    }

    @Test("with the directory every watch ends, at publishers that live on too")
    func required_3_06_directory() {
      let mine = Publisher<Int>(label: "mine")
      let watcher = Watcher()
      do {
        let directory = PublisherDirectory()
        directory.register(mine)
        directory.subscribeToAll(watcher, on: .immediate)
        mine.startLoading()
      }
      mine.startLoading()
      #expect(watcher.lines == ["mine 0", "mine 1"])
      #expect(mine.subscriberCount == 0)
    }

    @Test("a watcher at the address of a dead one is another")
    func required_2_06_address() throws {
      guard AddressReuse.isPossible else { return }
      let directory = PublisherDirectory()
      let numbers = directory.publisher(of: Int.self)
      var places: Set<ObjectIdentifier> = []
      var reused = 0
      for _ in 0..<200 {
        let watcher = Watcher()
        if !places.insert(ObjectIdentifier(watcher)).inserted { reused += 1 }
        let handle = directory.subscribeToAll(watcher, on: .immediate)
        #expect(handle.isActive)
        #expect(watcher.notes.count == 1)
      }
      #expect(reused > 0)
      #expect(numbers.subscriberCount == 0)
    }

    /// Comes back to the directory when it dies, which may be while the directory looks at it.
    private final class Returning: Subscriber {
      let directory: PublisherDirectory
      let deaths: Event
      init(_ directory: PublisherDirectory, _ deaths: Event) {
        self.directory = directory
        self.deaths = deaths
      }
      func receive(_ publication: any AnyPublication) {}
      deinit {
        _ = directory.publisher(of: Int.self)
        deaths.happen()
      }
    }

    @Test("watchers whose end uses the directory, while others look at them")
    func stochastic_1_04_deaths() async throws {
      let (directory, deaths) = (PublisherDirectory(), Event())
      let (rounds, watchers) = (60, 100)
      let isOver = Atomic<Bool>(false)
      try await Race.run(threads: 2) { thread in
        if thread == 0 {
          for _ in 0..<rounds {
            var living = (0..<watchers).map { _ in Returning(directory, deaths) }
            for watcher in living { directory.subscribeToAll(watcher, on: .immediate) }
            // The other thread goes through them in the other direction: they meet.
            while living.popLast() != nil {}
          }
          isOver.store(true, ordering: .relaxed)
        } else {
          while !isOver.load(ordering: .relaxed) { _ = "\(directory)" }
        }
      }
      try await deaths.wait(count: rounds * watchers)
      #expect("\(directory)".hasSuffix("subscribers: 0)"))
      #expect(directory.publisher(of: Int.self).subscriberCount == 0)
    }
  }
}
