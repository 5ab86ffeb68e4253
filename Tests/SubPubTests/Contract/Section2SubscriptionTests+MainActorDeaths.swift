import Dispatch
import SubPub
import SubPubTesting
import Synchronization
import Testing

// Rule 2.05: what belongs to the main actor needn't be `Sendable`, so the library must not be the one that lets go of it
// on another thread.
extension Section2SubscriptionTests {
  @MainActor protocol Screen: AnyObject {
    func show()
  }

  /// Counts its deaths, and those that weren't on the main actor.
  final class DeathCount: Sendable {
    let all = Atomic<Int>(0)
    let elsewhere = Atomic<Int>(0)
    let calls = Atomic<Int>(0)

    @MainActor func noteCall() {
      MainActor.preconditionIsolated()
      calls.add(1, ordering: .relaxed)
    }

    func note() {
      all.add(1, ordering: .relaxed)
      if !MarkedQueue.main.isHere { elsewhere.add(1, ordering: .relaxed) }
    }
  }

  class Counted {
    fileprivate let count: DeathCount
    init(_ count: DeathCount) { self.count = count }
    deinit { count.note() }
  }

  /// Not `Sendable`: isolated by its conformance only.
  final class Panel: Counted, @MainActor Screen {
    @MainActor func show() { count.noteCall() }
  }

  /// `Sendable` by its isolation, with a superclass that isn't.
  @MainActor final class Window: Counted, MainActorSubscriber {
    func receive(_ publication: any AnyPublication) { noteCall() }

    func noteCall() { count.noteCall() }
  }

  @MainActor final class TypedWindow: Counted, MainActorTypedSubscriber {
    func receive(_ state: LoadState<Int>) { count.noteCall() }
  }

  /// How an object of the main actor joins.
  enum MainActorFace: String, CaseIterable, Codable, Sendable {
    case delegate, explicit, untyped, typed, directory, handler
  }

  /// One thing to join, by each of these ways, and every way to look at who has joined.
  final class MainActorGroup: Sendable {
    let publisher = Publisher<Int>()
    private let directory = PublisherDirectory()
    private let delegates = MainActorMulticastDelegate<any Screen>()
    private let explicit: MainActorExplicitPublisher<Int, any Screen>

    init() {
      explicit = MainActorExplicitPublisher(publisher) { screen, _ in screen.show() }
      directory.register(publisher)
    }

    @MainActor func join(_ face: MainActorFace, _ count: DeathCount) -> (object: AnyObject, joined: Subscription) {
      switch face {
      case .delegate:
        let panel = Panel(count)
        return (panel, delegates.add(panel))
      case .explicit:
        let panel = Panel(count)
        return (panel, explicit.subscribe(panel))
      case .untyped:
        let window = Window(count)
        return (window, publisher.subscribe(window))
      case .typed:
        let window = TypedWindow(count)
        return (window, publisher.subscribe(window))
      case .directory:
        let window = Window(count)
        let part = directory.subscribeToAll(window).subscriptions.first { $0.source == publisher.id }
        return (window, part ?? publisher.subscribe(window))
      case .handler:
        let window = Window(count)
        return (window, publisher.subscribe(window) { window, _ in window.noteCall() })
      }
    }

    func look(at subscription: Subscription?, thread: Int) {
      _ = delegates.count
      _ = publisher.subscriberCount
      _ = subscription?.description
      // Those who watch the directory join. A type has one publisher.
      if thread == 0 { directory.register(Publisher<Bool>()) } else { directory.register(Publisher<String>()) }
    }

    /// From a thread that isn't the main actor's.
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

  @Test("2.03: every face of the main actor is called there", arguments: MainActorFace.allCases)
  @MainActor func required_2_03_mainActorFaces(face: MainActorFace) async throws {
    let (group, calls) = (MainActorGroup(), DeathCount())
    let (object, _) = group.join(face, calls)
    try await group.publish()
    // A call to delegates has no replay.
    #expect(calls.calls.load(ordering: .relaxed) == (face == .delegate ? 1 : 2))
    withExtendedLifetime(object) {}
  }

  @Test(
    "1.06: once the main actor has let go of what others looked at, they find it dead",
    arguments: MainActorFace.allCases)
  @MainActor func required_1_06_2_05_lookedAtTwice(face: MainActorFace) async throws {
    let (group, deaths) = (MainActorGroup(), DeathCount())
    var object: AnyObject?
    let subscription: Subscription
    do {
      let (joining, joined) = group.join(face, deaths)
      (object, subscription) = (joining, joined)
    }
    try await OwnThread.run { #expect(subscription.isActive) }
    // What the other thread held goes.
    await DispatchQueue.main.passed()
    #expect(deaths.all.load(ordering: .relaxed) == 0 && object != nil)
    object = nil
    #expect(deaths.all.load(ordering: .relaxed) == 1)
    try await OwnThread.run {
      #expect(!subscription.isActive)
      #expect(group.count == 0)
    }
  }

  @Test(
    "2.05: what another thread has looked at lives until the main actor lets go of it",
    arguments: MainActorFace.allCases)
  @MainActor func required_2_05_lookedAt(face: MainActorFace) async {
    let (group, deaths) = (MainActorGroup(), DeathCount())
    do {
      let (object, subscription) = group.join(face, deaths)
      OwnThread.runBlocking { #expect(subscription.isActive) }
      withExtendedLifetime(object) {}
    }
    // The main actor was busy all that time.
    #expect(deaths.all.load(ordering: .relaxed) == 0)
    await DispatchQueue.main.passed()
    #expect(deaths.all.load(ordering: .relaxed) == 1)
    #expect(deaths.elsewhere.load(ordering: .relaxed) == 0)
  }

  @Test("2.05: a busy main actor has one object to let go of, however often others look at it")
  @MainActor func required_2_05_busyMainActor() {
    let (group, deaths) = (MainActorGroup(), DeathCount())
    let (object, subscription) = group.join(.typed, deaths)
    OwnThread.runBlocking {
      for _ in 0..<10_000 { #expect(subscription.isActive) }
    }
    // Other tests look at theirs.
    #expect(MainActorReleases.count < 1_000)
    withExtendedLifetime(object) {}
  }

  @Test("2.05: what belongs to the main actor dies there, whoever looks at it", arguments: MainActorFace.allCases)
  @MainActor func stochastic_2_05_mainActorDeaths(face: MainActorFace) async throws {
    let (group, deaths, rounds) = (MainActorGroup(), DeathCount(), 4_000)
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
      let (object, subscription) = group.join(face, deaths)
      living.append(object)
      newest.withLock { $0 = subscription }
      if living.count > 3 { living.removeFirst() }
      if Bool.random() { await Task.yield() }
    }
    isOver.withLock { $0 = true }
    try await ended.wait(count: 2)
    living = []
    // What other threads held goes when the main actor gets to it.
    await DispatchQueue.main.passed()
    #expect(deaths.all.load(ordering: .relaxed) == rounds)
    #expect(deaths.elsewhere.load(ordering: .relaxed) == 0)
    #expect(group.count == 0)
  }
}
