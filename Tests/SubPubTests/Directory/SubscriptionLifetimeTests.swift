import SubPub
import SubPubTesting
import Synchronization
import Testing

extension DirectoryTests {
  @Suite("A directory subscription keeps nothing alive, and leaves nothing behind")
  struct SubscriptionLifetimeTests {
    let directory = PublisherDirectory()

    @Test("the subscriber is held weakly, and its subscriptions are removed at the next registration")
    func required_2_05_listener() {
      let numbers = directory.publisher(of: Int.self)
      weak let handle: DirectorySubscription?
      weak let part: Subscription?
      weak let probe: Listener?
      do {
        let listener = Listener()
        probe = listener
        handle = directory.subscribeToAll(listener, on: .immediate)
        part = numbers.subscriptions.first
        #expect(handle != nil)
        #expect(part != nil)
      }
      #expect(probe == nil)
      #expect(handle?.isActive == false)
      numbers.startLoading()
      directory.register(Publisher<String>())
      #expect(handle == nil)
      // The lane compacts its list after some more entries.
      for _ in 0..<40 { numbers.subscribe(Listener(), on: .immediate).cancel() }
      #expect((numbers.subscriberCount, part) == (0, nil))
    }

    @Test("released subscribers leave nothing behind, even if no publisher is registered")
    func required_2_05_manyListeners() {
      // Made first, so that none of them gets the address of the released one.
      let others = (0..<40).map { _ in Listener() }
      weak let first: DirectorySubscription?
      do {
        let listener = Listener()
        first = directory.subscribeToAll(listener, on: .immediate)
        #expect(first != nil)
        withExtendedLifetime(listener) {}
      }
      for listener in others { directory.subscribeToAll(listener, on: .immediate) }
      #expect(first == nil)
    }

    @Test("a cancel releases the subscriptions before it returns, even if the handle is kept, which then is removed")
    func required_3_05_keptHandle() {
      let (numbers, names) = (directory.publisher(of: Int.self), directory.publisher(of: String.self))
      let listener = Listener()
      weak let released: DirectorySubscription?
      do {
        let handle = directory.subscribeToAll(listener, on: .immediate)
        released = handle
        weak let first = numbers.subscriptions.first
        weak let second = names.subscriptions.first
        #expect((first?.isActive, second?.isActive) == (true, true))
        #expect(handle.cancel() == .quiescent)
        #expect(first == nil && second == nil)
      }
      directory.register(Publisher<Bool>())
      #expect((released, listener.notes.count) == (nil, 2))
    }

    @Test("a kept handle keeps neither the directory, nor publishers, nor subscriptions alive")
    func required_3_06_handle() {
      let listener = Listener()
      weak let directoryProbe: PublisherDirectory?
      weak let made: Publisher<Int>?
      weak let part: Subscription?
      let handle: DirectorySubscription
      do {
        let directory = PublisherDirectory()
        directoryProbe = directory
        handle = directory.subscribeToAll(listener, on: .immediate)
        made = directory.publisher(of: Int.self)
        do {
          let passing = Publisher<String>()
          directory.register(passing)
          part = passing.subscriptions.first
        }
        for _ in 0..<40 { directory.register(Publisher<String>()) }
        #expect(part == nil, "a subscription to a released publisher is removed after 40 more registrations")
        #expect(made != nil)
      }
      #expect(directoryProbe == nil)
      #expect(made == nil)
      #expect((handle.isActive, listener.notes.count) == (false, 42))
    }

    @Test("the release of the directory ends every subscription, even to publishers that live on")
    func required_3_06_directory() {
      let mine = Publisher<Int>(label: "mine")
      let listener = Listener()
      do {
        let directory = PublisherDirectory()
        directory.register(mine)
        directory.subscribeToAll(listener, on: .immediate)
        mine.startLoading()
      }
      mine.startLoading()
      #expect((listener.lines, mine.subscriberCount) == (["mine 0", "mine 1"], 0))
    }

    @Test("an object at the address of a released one is another subscriber")
    func required_2_06_address() throws {
      guard AddressReuse.isPossible else { return }
      let numbers = directory.publisher(of: Int.self)
      var places: Set<ObjectIdentifier> = []
      var reused = 0
      for _ in 0..<200 {
        let listener = Listener()
        if !places.insert(ObjectIdentifier(listener)).inserted { reused += 1 }
        let handle = directory.subscribeToAll(listener, on: .immediate)
        #expect((handle.isActive, listener.notes.count) == (true, 1))
      }
      #expect(reused > 0)
      #expect(numbers.subscriberCount == 0)
    }

    /// A subscriber that uses the directory in its deinit, which may run while the directory loads a reference to it.
    private final class Returning: Subscriber {
      let directory: PublisherDirectory
      let deaths: Event
      init(_ directory: PublisherDirectory, _ deaths: Event) { (self.directory, self.deaths) = (directory, deaths) }
      func receive(_ publication: any AnyPublication) {}
      deinit {
        _ = directory.publisher(of: Int.self)
        deaths.happen()
      }
    }

    @Test("subscribers can use the directory in their deinit, while other threads count them")
    func stochastic_1_04_deaths() async throws {
      let (directory, deaths) = (PublisherDirectory(), Event())
      let (rounds, listeners) = (60, 100)
      let isOver = Atomic<Bool>(false)
      try await Race.run(threads: 2) { thread in
        if thread == 0 {
          for _ in 0..<rounds {
            var living = (0..<listeners).map { _ in Returning(directory, deaths) }
            for listener in living { directory.subscribeToAll(listener, on: .immediate) }
            // The other thread counts them in the opposite order, so the two meet.
            while living.popLast() != nil {}
          }
          isOver.store(true, ordering: .relaxed)
        } else {
          while !isOver.load(ordering: .relaxed) { _ = "\(directory)" }
        }
      }
      try await deaths.wait(count: rounds * listeners)
      #expect("\(directory)".hasSuffix("subscribers: 0)"))
      #expect(directory.publisher(of: Int.self).subscriberCount == 0)
    }
  }
}
