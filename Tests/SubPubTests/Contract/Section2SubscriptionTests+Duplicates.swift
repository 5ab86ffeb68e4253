import SubPub
import SubPubTesting
import Testing

// Rule 2.06.
extension Section2SubscriptionTests {
  typealias Interface = InterfaceGroup.Interface

  @Test("ignore returns the standing subscription as it is, with no replay", arguments: Interface.allCases)
  @MainActor func required_2_06_ignore(interface: Interface) async {
    let (group, listener) = (InterfaceGroup(), UniversalSubscriber())
    let standing = group.subscribe(listener, through: interface, buffering: .newest(3), .allow)
    await group.drain()
    let count = listener.calls
    let again = group.subscribe(listener, through: interface, on: .immediate, buffering: .latest, .ignore)
    await group.drain()
    #expect(again === standing)
    #expect(listener.calls == count)
    #expect(again.context == standing.context)
    #expect(again.buffering == standing.buffering)
    #expect(group.count(through: interface) == 1)
  }

  @Test("replace cancels the old subscription, and gives the new one a replay", arguments: Interface.allCases)
  @MainActor func required_2_06_replace(interface: Interface) async {
    let (group, listener) = (InterfaceGroup(), UniversalSubscriber())
    let first = group.subscribe(listener, through: interface, .allow)
    let second = group.subscribe(listener, through: interface, .allow)
    await group.drain()
    let count = listener.calls
    let new = group.subscribe(listener, through: interface, on: .immediate, buffering: .latest, .replace)
    await group.drain()
    #expect(new !== first && new !== second)
    #expect(!first.isActive && !second.isActive)
    #expect(new.isActive)
    #expect(group.count(through: interface) == 1)
    #expect(listener.calls == count + (interface == .delegate ? 0 : 1))
    #expect(first.cancel() == .alreadyCancelled)
  }

  @Test("allow adds one more subscription, with a replay of its own", arguments: Interface.allCases)
  @MainActor func required_2_06_allow(interface: Interface) async {
    let (group, listener) = (InterfaceGroup(), UniversalSubscriber())
    let all = (0..<3).map { _ in group.subscribe(listener, through: interface, .allow) }
    await group.drain()
    #expect(Set(all).count == 3)
    #expect(all.allSatisfy { $0.isActive })
    #expect(group.count(through: interface) == 3)
    #expect(listener.calls == (interface == .delegate ? 0 : 3))
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

  @Test("a duplicate is found among many subscribers, too", arguments: [10, 1_000])
  func required_2_06_many(others: Int) {
    let crowd = (0..<others).map { _ in Recorder<Int>() }
    for recorder in crowd { publisher.subscribe(recorder, on: .immediate) }
    let standing = publisher.subscribe(recorder, on: .immediate)
    #expect(publisher.subscribe(recorder, on: .immediate) === standing)
    #expect(publisher.subscribe(crowd[others / 2], on: .immediate).isActive)
    #expect(publisher.subscriberCount == others + 1)
    let new = publisher.subscribe(recorder, on: .immediate, ifDuplicate: .replace)
    #expect(new !== standing)
    #expect(publisher.subscriberCount == others + 1)
    publisher.subscribe(recorder, on: .immediate, ifDuplicate: .replaceSameType)
    #expect(publisher.subscriberCount == 1)
    withExtendedLifetime(crowd) {}
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

  @Test("closures are duplicates neither of each other nor of any interface")
  func required_2_06_handlers() {
    for _ in 0..<3 { publisher.subscribe(recorder, on: .immediate) { $0.receive($1) } }
    #expect(recorder.states == [.unknown, .unknown, .unknown])
    publisher.subscribe(recorder, on: .immediate, ifDuplicate: .replaceSameType)
    publisher.subscribe(recorder, on: .immediate, ifDuplicate: .replace)
    #expect(publisher.subscriberCount == 4)
    publisher.updateData(1)
    #expect(recorder.states.filter { $0 == .loaded(1) }.count == 4)
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
        let brief = CallCounter()
        address = ObjectIdentifier(brief)
        old = publisher.subscribe(brief, on: .executor(executor), ifDuplicate: policy)
        withExtendedLifetime(brief) {}
      }
      let next = CallCounter()
      guard ObjectIdentifier(next) == address else { continue }
      reused += 1
      let new = publisher.subscribe(next, on: .immediate, ifDuplicate: policy)
      #expect(new !== old)
      #expect(new.context == .immediate)
      #expect(new.isActive && !old.isActive)
      #expect(next.calls.count == 1)
    }
    #expect(reused > 0)
    executor.runAll()
    #expect(publisher.subscriberCount == others)
    withExtendedLifetime(crowd) {}
  }

  private final class CallCounter: TypedSubscriber {
    let calls = Event()
    func receive(_ state: LoadState<Int>) { calls.happen() }
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

  @Test("a replacement in the same lane waits as well", arguments: ContextKind.holdable)
  func required_2_06_replacedInLane(kind: ContextKind) async throws {
    let (place, publisher, held) = (makePlace(kind), publisher, makeHeldRecorder())
    let old = publisher.subscribe(held, on: place.context)
    try await held.hold(publisher)
    try await OwnThread.run {
      publisher.subscribe(held, on: place.context, ifDuplicate: .replace)
      publisher.updateData(2)
    }
    // Whatever can start on a concurrent context has started when this has run.
    if ContextKind.concurrent.contains(kind) { try await place.run {} }
    #expect(held.versions.last == 1)
    #expect(!old.isActive)
    await held.release(publisher)
    #expect(held.mostAtOnce == 1)
    #expect(held.versions.suffix(3) == [1, 1, 2])
    #expect(old.statistics.lastVersion == 1)
  }

  @Test("no state comes between the cancel of the old and the joining of the new", arguments: [false, true])
  func stochastic_2_06_oneTurn(sameType: Bool) async throws {
    let (publisher, recorder, executor) = (publisher, recorder, ManualExecutor())
    let all = Locked<[Subscription]>([])
    try await Race.run(threads: 3) { thread in
      for number in 0..<300 {
        guard thread == 0 else {
          publisher.updateData(number)
          continue
        }
        let subscription = publisher.subscribe(
          recorder, on: .executor(executor), ifDuplicate: sameType ? .replaceSameType : .replace)
        all.withLock { $0.append(subscription) }
      }
    }
    // The last state of one is the first of the next, and nothing is delivered.
    let put = all.withLock { $0 }.map { $0.statistics.skipped + $0.statistics.pending }
    #expect(put.count == 300)
    #expect(publisher.subscriberCount == 1)
    let first = UInt64(put.reduce(0, +) - 299)
    #expect(first <= publisher.current.version + 1)
    let oldest = try #require(all.withLock { $0.first })
    let joined = publisher.current.version + 1 - first
    executor.runAll()
    #expect(recorder.publications.map(\.version) == Array(UInt64(601 - put[299])...600))
    #expect(!oldest.isActive)
    #expect(joined <= 600)
  }
}
