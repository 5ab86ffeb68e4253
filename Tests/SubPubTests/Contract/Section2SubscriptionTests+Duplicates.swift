import SubPub
import SubPubTesting
import Testing

// Rule 2.06.
extension Section2SubscriptionTests {
  typealias Interface = InterfaceGroup.Interface

  @Test("each policy does what it says to the duplicates of an object", arguments: Interface.allCases)
  @MainActor func required_2_06_policies(interface: Interface) async {
    let (group, listener) = (InterfaceGroup(), UniversalSubscriber())
    let replay = interface == .delegate ? 0 : 1
    let standing = (0..<3).map { _ in group.subscribe(listener, through: interface, buffering: .newest(3), .allow) }
    await group.drain()
    #expect(Set(standing).count == 3)
    #expect(group.count(through: interface) == 3)
    #expect(listener.calls == 3 * replay)
    let again = group.subscribe(listener, through: interface, on: .immediate, buffering: .latest, .ignore)
    await group.drain()
    #expect(standing.contains(again))
    #expect(listener.calls == 3 * replay)
    let new = group.subscribe(listener, through: interface, on: .immediate, buffering: .latest, .replace)
    await group.drain()
    #expect(standing.allSatisfy { !$0.isActive && $0.cancel() == .alreadyCancelled })
    #expect(new.isActive)
    #expect(group.count(through: interface) == 1)
    #expect(listener.calls == 4 * replay)
  }

  @Test("replaceSameType cancels every subscriber of exactly that class", arguments: Interface.allCases)
  @MainActor func required_2_06_replaceSameType(interface: Interface) async {
    let group = InterfaceGroup()
    let (first, second, newcomer) = (UniversalSubscriber(), UniversalSubscriber(), UniversalSubscriber())
    let derived = UniversalSubscriberSubclass()
    let old = [first, second, first].map { group.subscribe($0, through: interface, .allow) }
    let other = group.subscribe(derived, through: interface, .allow)
    let others = Interface.allCases.filter { $0 != interface }.map { group.subscribe(first, through: $0, .allow) }
    let new = group.subscribe(newcomer, through: interface, .replaceSameType)
    await group.drain()
    #expect(old.allSatisfy { !$0.isActive })
    #expect(other.isActive)
    #expect(others.allSatisfy { $0.isActive })
    #expect(new.isActive)
    withExtendedLifetime((first, second, newcomer, derived)) {}
  }

  @Test("the same object through another interface is no duplicate")
  @MainActor func required_2_06_interfaces() async {
    let (group, listener) = (InterfaceGroup(), UniversalSubscriber())
    for policy in [DuplicatePolicy.ignore, .ignore, .replace, .replaceSameType, .ignore] {
      for interface in Interface.allCases { group.subscribe(listener, through: interface, policy) }
      for interface in Interface.allCases { #expect(group.count(through: interface) == 1) }
    }
    #expect(group.publisher.subscriberCount == Interface.allCases.count - 1)
    await group.drain()
    withExtendedLifetime(listener) {}
  }

  @Test("subscribing again releases an object's cancelled subscriptions and their executors")
  func required_2_06_cancelledGo() {
    let crowd = (0..<20).map { _ in Recorder<Int>() }
    for recorder in crowd { publisher.subscribe(recorder, on: .immediate) }
    publisher.subscribe(recorder, on: .immediate).cancel()
    let executors = Deaths()
    do {
      let subscriptions = (0..<5).map { _ in
        let token = executors.makeToken()
        let executor = InlineExecutor { withExtendedLifetime(token) {} }
        return publisher.subscribe(recorder, on: .executor(executor), ifDuplicate: .allow)
      }
      for subscription in subscriptions { subscription.cancel() }
    }
    publisher.subscribe(recorder, on: .immediate)
    #expect(executors.count == 5)
    withExtendedLifetime(crowd) {}
  }

  @Test(
    "a new object at an old address is no duplicate",
    .enabled(if: AddressReuse.isPossible), arguments: [DuplicatePolicy.ignore, .replace], [0, 100])
  func required_2_06_oldAddress(policy: DuplicatePolicy, others: Int) {
    let crowd = (0..<others).map { _ in Recorder<Int>() }
    let executor = ManualExecutor()
    for recorder in crowd { publisher.subscribe(recorder, on: .executor(executor)) }
    var reused = 0
    for _ in 0..<100 {
      let (address, old): (ObjectIdentifier, Subscription)
      do {
        let brief = Recorder<Int>()
        address = ObjectIdentifier(brief)
        old = publisher.subscribe(brief, on: .executor(executor), ifDuplicate: policy)
        withExtendedLifetime(brief) {}
      }
      let next = Recorder<Int>()
      guard ObjectIdentifier(next) == address else { continue }
      reused += 1
      let new = publisher.subscribe(next, on: .immediate, ifDuplicate: policy)
      #expect(new !== old)
      #expect(new.context == .immediate)
      #expect(new.isActive && !old.isActive)
      #expect(next.states == [.unknown])
    }
    #expect(reused > 0)
    executor.runAll()
    #expect(publisher.subscriberCount == others)
    withExtendedLifetime(crowd) {}
  }

  @Test("a replacement waits until the old delivery under way has ended", arguments: ContextKind.holdable)
  func required_2_06_replacedUnderWay(kind: ContextKind) async throws {
    let (place, publisher, held) = (makePlace(kind), publisher, makeHeldRecorder())
    let old = publisher.subscribe(held, on: place.context)
    try await held.hold(publisher)
    let executor = ManualExecutor()
    let new = publisher.subscribe(held, on: .executor(executor), ifDuplicate: .replace)
    publisher.updateData(2)
    // On another thread, which a premature delivery would hold.
    try await OwnThread.run { executor.runAll() }
    try #require(held.versions.last == 1)
    #expect(!old.isActive)
    try #require(new.statistics.pending == 2)
    #expect(new.statistics.delivered == 0)
    held.gate.open()
    await old.cancelAndWait()
    await executor.waitForPending(1)
    executor.runAll()
    #expect(held.mostAtOnce == 1)
    #expect(held.versions.suffix(3) == [1, 1, 2])
    #expect(new.statistics.delivered == 2)
  }

  @Test("all closures of an object are duplicates of each other, if a call asks for it")
  func required_2_06_closures() {
    let first = publisher.subscribe(recorder, on: .immediate) { $0.receive($1) }
    #expect(publisher.subscribe(recorder, on: .background, ifDuplicate: .ignore) { $0.receive($1) } == first)
    #expect(publisher.subscribe(recorder, on: .main, ifDuplicate: .ignore) { $0.receive($1) } == first)
    let onMain = publisher.subscribe(recorder, on: .main) { $0.receive($1) }
    #expect(onMain != first)
    let other = Recorder<Int>()
    #expect(publisher.subscribe(other, on: .immediate, ifDuplicate: .ignore) { $0.receive($1) } != first)
    let new = publisher.subscribe(recorder, on: .immediate, ifDuplicate: .replace) { $0.receive($1) }
    #expect([first, onMain, new].map(\.isActive) == [false, false, true])

    let actor = Borrower(nil)
    let standing = publisher.subscribe(actor) { $0.note($1) }
    #expect(publisher.subscribe(actor, ifDuplicate: .ignore) { $0.note($1) } == standing)
    publisher.subscribe(actor, ifDuplicate: .replace) { $0.note($1) }
    #expect(!standing.isActive)
  }

  @Test("the index of subscribers keeps at most twice as many as are active, and 32 more", arguments: [false, true])
  func required_2_06_comeAndGo(isOneObject: Bool) {
    let (publisher, executors) = (Publisher<Int>(), Deaths())
    let crowd = (0..<1_000).map { _ in Recorder<Int>() }
    let staying = 20
    for recorder in crowd.prefix(staying) { publisher.subscribe(recorder, on: .immediate) }
    var most = 0
    for (number, recorder) in crowd.enumerated() {
      // Only the subscription holds its executor.
      let token = executors.makeToken()
      publisher.subscribe(
        isOneObject ? crowd[0] : recorder, on: .executor(InlineExecutor { withExtendedLifetime(token) {} }),
        ifDuplicate: .allow
      ).cancel()
      most = max(most, number + 1 - executors.count)
    }
    #expect(most <= 2 * (staying + 1) + 32)
    #expect(publisher.subscriberCount == staying)
    withExtendedLifetime(crowd) {}
  }
}
