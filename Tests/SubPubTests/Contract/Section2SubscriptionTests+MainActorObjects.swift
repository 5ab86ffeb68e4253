import Dispatch
import SubPub
import SubPubTesting
import Synchronization
import Testing

// Rule 2.05: objects of the main actor needn't be `Sendable`, so the library must never release one on another thread.
extension Section2SubscriptionTests {
  @MainActor protocol Screen: AnyObject {
    func show()
  }

  /// Counts the deaths of objects, those on other threads, and their calls.
  final class MainActorDeaths: Sendable {
    let all = Atomic<Int>(0)
    let elsewhere = Atomic<Int>(0)
    let calls = Atomic<Int>(0)

    @MainActor func noteCall() {
      MainActor.preconditionIsolated()
      calls.add(1, ordering: .relaxed)
    }

    func noteDeath() {
      all.add(1, ordering: .relaxed)
      if !Place(.main).isHere { elsewhere.add(1, ordering: .relaxed) }
    }
  }

  class CountedObject {
    fileprivate let deaths: MainActorDeaths
    init(_ deaths: MainActorDeaths) { self.deaths = deaths }
    deinit { deaths.noteDeath() }
  }

  /// Not `Sendable`: only its conformance is isolated.
  final class Panel: CountedObject, @MainActor Screen {
    @MainActor func show() { deaths.noteCall() }
  }

  /// `Sendable` by its isolation, with a superclass that isn't.
  @MainActor final class Window: CountedObject, MainActorSubscriber {
    func receive(_ publication: any AnyPublication) { noteCall() }

    func noteCall() { deaths.noteCall() }
  }

  @MainActor final class TypedWindow: CountedObject, MainActorTypedSubscriber {
    func receive(_ state: LoadState<Int>) { deaths.noteCall() }
  }

  /// How an object of the main actor subscribes.
  enum MainActorInterface: String, CaseIterable, Codable, Sendable {
    case delegate, explicit, untyped, typed, directory, handler
  }

  /// A publisher with each of these interfaces, and every operation that loads its subscribers.
  final class MainActorGroup: Sendable {
    let publisher = Publisher<Int>()
    private let directory = PublisherDirectory()
    private let delegates = MainActorMulticastDelegate<any Screen>()
    private let explicit: MainActorExplicitPublisher<Int, any Screen>

    init() {
      explicit = MainActorExplicitPublisher(publisher) { screen, _ in screen.show() }
      directory.register(publisher)
    }

    @MainActor
    func join(_ interface: MainActorInterface, _ deaths: MainActorDeaths) -> (object: AnyObject, joined: Subscription) {
      func joining<Object: AnyObject>(_ object: Object, _ join: (Object) -> Subscription) -> (AnyObject, Subscription) {
        (object, join(object))
      }
      return switch interface {
      case .delegate: joining(Panel(deaths)) { delegates.add($0) }
      case .explicit: joining(Panel(deaths)) { explicit.subscribe($0) }
      case .untyped: joining(Window(deaths)) { publisher.subscribe($0) }
      case .typed: joining(TypedWindow(deaths)) { publisher.subscribe($0) }
      case .directory:
        joining(Window(deaths)) { window in
          let handle = directory.subscribeToAll(window)
          #expect(directory.subscribeToAll(window) === handle)
          let part = handle.subscriptions.first { $0.source == publisher.id && $0.context == .main }
          return part ?? publisher.subscribe(window)
        }
      case .handler: joining(Window(deaths)) { publisher.subscribe($0) { window, _ in window.noteCall() } }
      }
    }

    func look(at subscription: Subscription?, thread: Int) {
      _ = delegates.count
      _ = publisher.subscriberCount
      _ = subscription?.description
      // Loads the directory's subscribers. A type has one publisher.
      if thread == 0 { directory.register(Publisher<Bool>()) } else { directory.register(Publisher<String>()) }
    }

    /// Publishes from another thread than the main actor's.
    func publish() async throws {
      try await OwnThread.run {
        self.publisher.updateData(1)
        self.delegates.call { $0.show() }
      }
      await publisher.drain()
      await delegates.drain()
    }

    var count: Int { delegates.count + publisher.subscriberCount }
  }

  @Test("interfaces of the main actor are called there, later", arguments: MainActorInterface.allCases)
  @MainActor func required_2_03_mainActorInterfaces(interface: MainActorInterface) async throws {
    let (group, calls) = (MainActorGroup(), MainActorDeaths())
    let (object, _) = group.join(interface, calls)
    group.publisher.updateData(0)
    #expect(calls.calls.load(ordering: .relaxed) == 0)
    try await group.publish()
    // Delegates get no replay, and are called once.
    #expect(calls.calls.load(ordering: .relaxed) == (interface == .delegate ? 1 : 3))
    withExtendedLifetime(object) {}
  }

  @Test("other threads count an object of the main actor until that has run", arguments: MainActorInterface.allCases)
  @MainActor func required_2_05_countedElsewhere(interface: MainActorInterface) async throws {
    let (group, deaths) = (MainActorGroup(), MainActorDeaths())
    let subscription: Subscription
    do {
      let (object, joined) = group.join(interface, deaths)
      subscription = joined
      OwnThread.runBlocking { for _ in 0..<10_000 { #expect(subscription.isActive) } }
      withExtendedLifetime(object) {}
    }
    #expect(deaths.all.load(ordering: .relaxed) == 1)
    // The main actor has been busy ever since.
    OwnThread.runBlocking { #expect(subscription.isActive) }
    await DispatchQueue.main.passed()
    try await OwnThread.run {
      #expect(!subscription.isActive)
      #expect(group.count == 0)
    }
  }

  @Test("objects of the main actor die there, even if others look at them", arguments: MainActorInterface.allCases)
  @MainActor func stochastic_2_05_mainActorDeaths(interface: MainActorInterface) async throws {
    let (group, deaths, rounds) = (MainActorGroup(), MainActorDeaths(), TestRounds.of(500, full: 4_000))
    let (newest, isOver, ended) = (Locked<Subscription?>(nil), Locked(false), Event())
    for thread in 0..<2 {
      OwnThread.start {
        while !isOver.withLock({ $0 }) {
          let subscription = newest.withLock { $0 }
          group.look(at: subscription, thread: thread)
          if Bool.random() { subscription?.cancel() }
        }
        ended.happen()
      }
    }
    var living: [AnyObject] = []
    for _ in 0..<rounds {
      let (object, subscription) = group.join(interface, deaths)
      living.append(object)
      newest.withLock { $0 = subscription }
      if living.count > 3 { living.removeFirst() }
      if Bool.random() { await Task.yield() }
    }
    isOver.withLock { $0 = true }
    try await ended.wait(count: 2)
    living = []
    #expect(deaths.all.load(ordering: .relaxed) == rounds)
    #expect(deaths.elsewhere.load(ordering: .relaxed) == 0)
    #expect(group.count == 0)
  }
}
