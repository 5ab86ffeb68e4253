import Dispatch
import SubPub
import SubPubTesting
import Testing

// Rule 2.06.
extension Section2SubscriptionTests {
  @Test("ignore: the standing subscription is returned as it is, with no replay", arguments: Face.allCases)
  @MainActor func required_2_06_ignore(face: Face) async {
    let (faces, listener) = (Faces(), ManyFaced())
    let standing = faces.subscribe(listener, through: face, buffering: .newest(3), .allow)
    await faces.drain()
    let count = listener.calls
    let again = faces.subscribe(listener, through: face, on: .immediate, buffering: .latest, .ignore)
    await faces.drain()
    #expect(again === standing)
    #expect(listener.calls == count)
    #expect(again.context == standing.context)
    #expect(again.buffering == standing.buffering)
    #expect(faces.count(through: face) == 1)
  }

  @Test(
    "replace: the old one is cancelled, the new one has its context and policy, and a replay", arguments: Face.allCases)
  @MainActor func required_2_06_replace(face: Face) async {
    let (faces, listener) = (Faces(), ManyFaced())
    let first = faces.subscribe(listener, through: face, .allow)
    let second = faces.subscribe(listener, through: face, .allow)
    await faces.drain()
    let count = listener.calls
    let new = faces.subscribe(listener, through: face, on: .immediate, buffering: .latest, .replace)
    await faces.drain()
    #expect(new !== first && new !== second)
    #expect(!first.isActive && !second.isActive)
    #expect(new.isActive)
    #expect(faces.count(through: face) == 1)
    #expect(listener.calls == count + (face == .delegate ? 0 : 1))
    #expect(first.cancel() == .alreadyCancelled)
  }

  @Test("allow: one more, each with its own replay", arguments: Face.allCases)
  @MainActor func required_2_06_allow(face: Face) async {
    let (faces, listener) = (Faces(), ManyFaced())
    let all = (0..<3).map { _ in faces.subscribe(listener, through: face, .allow) }
    await faces.drain()
    #expect(Set(all).count == 3)
    #expect(all.allSatisfy { $0.isActive })
    #expect(faces.count(through: face) == 3)
    #expect(listener.calls == (face == .delegate ? 0 : 3))
  }

  @Test("replaceSameType: every one of exactly that class goes, and nobody else", arguments: Face.allCases)
  @MainActor func required_2_06_replaceSameType(face: Face) async {
    let faces = Faces()
    let (first, second, newcomer, derived) = (ManyFaced(), ManyFaced(), ManyFaced(), ManyFacedChild())
    let old = [first, second, first].map { faces.subscribe($0, through: face, .allow) }
    let other = faces.subscribe(derived, through: face, .allow)
    let otherFaces = Face.allCases.filter { $0 != face }.map { faces.subscribe(first, through: $0, .allow) }
    let new = faces.subscribe(newcomer, through: face, .replaceSameType)
    await faces.drain()
    #expect(old.allSatisfy { !$0.isActive })
    #expect(other.isActive)
    #expect(otherFaces.allSatisfy { $0.isActive })
    #expect(new.isActive)
    withExtendedLifetime((first, second, newcomer, derived)) {}
  }

  @Test("each face counts for itself: the same object through another is no duplicate")
  @MainActor func required_2_06_faces() async {
    let (faces, listener) = (Faces(), ManyFaced())
    for policy in [DuplicatePolicy.ignore, .ignore, .replace, .replaceSameType, .ignore] {
      for face in Face.allCases { faces.subscribe(listener, through: face, policy) }
      for face in Face.allCases { #expect(faces.count(through: face) == 1) }
    }
    #expect(faces.publisher.subscriberCount == Face.allCases.count - 1)
    await faces.drain()
    withExtendedLifetime(listener) {}
  }

  @Test("among many subscribers a duplicate is found as well", arguments: [10, 1_000])
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

  @Test("what an object has cancelled is let go of, with its executors, when it subscribes again among many")
  func required_2_06_cancelledGo() {
    let crowd = (0..<20).map { _ in Recorder<Int>() }
    for recorder in crowd { publisher.subscribe(recorder, on: .immediate) }
    publisher.subscribe(recorder, on: .immediate).cancel()
    let executors = Deaths()
    do {
      let subscriptions = (0..<5).map { _ in
        let token = executors.mortal()
        let executor = InlineExecutor { withExtendedLifetime(token) {} }
        return publisher.subscribe(recorder, on: .executor(executor), ifDuplicate: .allow)
      }
      for subscription in subscriptions { subscription.cancel() }
    }
    publisher.subscribe(recorder, on: .immediate)
    #expect(executors.count == 5)
    withExtendedLifetime(crowd) {}
  }

  @Test("handlers are independent of each other and of every face")
  func required_2_06_handlers() {
    for _ in 0..<3 { publisher.subscribe(recorder, on: .immediate) { $0.receive($1) } }
    publisher.subscribe(recorder, on: .immediate, ifDuplicate: .replaceSameType)
    publisher.subscribe(recorder, on: .immediate, ifDuplicate: .replace)
    #expect(publisher.subscriberCount == 4)
    publisher.updateData(1)
    #expect(recorder.states.filter { $0 == .loaded(1) }.count == 4)
  }

  @Test(
    "a new object at an old address is no duplicate", .enabled(if: AddressReuse.isPossible),
    arguments: [DuplicatePolicy.ignore, .replace], [0, 100])
  func required_2_06_oldAddress(policy: DuplicatePolicy, others: Int) {
    let crowd = (0..<others).map { _ in Recorder<Int>() }
    let executor = ManualExecutor()
    for recorder in crowd { publisher.subscribe(recorder, on: .executor(executor)) }
    var reused = 0
    for _ in 0..<100 {
      let address: ObjectIdentifier
      let old: Subscription
      do {
        let brief = Caller()
        address = ObjectIdentifier(brief)
        old = publisher.subscribe(brief, on: .executor(executor), ifDuplicate: policy)
        withExtendedLifetime(brief) {}
      }
      let next = Caller()
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

  /// A subscriber that counts its calls.
  private final class Caller: TypedSubscriber {
    let calls = Event()
    func receive(_ state: LoadState<Int>) { calls.happen() }
  }

  @Test(
    "the first delivery of a replacement waits for the one of the old that is under way",
    arguments: ContextKind.holdable)
  func required_2_06_replacedUnderWay(kind: ContextKind) async throws {
    let (place, publisher, held) = (Place(kind), publisher, HeldRecorder())
    defer { held.gate.open() }
    let old = publisher.subscribe(held, on: place.context)
    await held.hold(publisher)
    // Whatever could start, has started when the executor has nothing to run.
    let executor = ManualExecutor()
    let new = publisher.subscribe(held, on: .executor(executor), ifDuplicate: .replace)
    publisher.updateData(2)
    // A fault would hold this thread at the gate.
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

  @Test("also in the same lane", arguments: ContextKind.holdable)
  func required_2_06_replacedInLane(kind: ContextKind) async throws {
    let (place, publisher, held) = (Place(kind), publisher, HeldRecorder())
    defer { held.gate.open() }
    let old = publisher.subscribe(held, on: place.context)
    await held.hold(publisher)
    try await OwnThread.run { publisher.subscribe(held, on: place.context, ifDuplicate: .replace) }
    try await OwnThread.run { publisher.updateData(2) }
    // Whatever could start on a concurrent context has started when this has run.
    if ContextKind.concurrent.contains(kind) { try await place.run {} }
    #expect(held.versions.last == 1)
    #expect(!old.isActive)
    held.gate.open()
    await publisher.drain()
    #expect(held.mostAtOnce == 1)
    #expect(held.versions.suffix(3) == [1, 1, 2])
    #expect(old.statistics.lastVersion == 1)
  }

  @Test(
    "the cancel of the old and the joining of the new are one turn: no state comes between", arguments: [false, true])
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
    // The last state of one is the first of the next, and nothing was delivered.
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
