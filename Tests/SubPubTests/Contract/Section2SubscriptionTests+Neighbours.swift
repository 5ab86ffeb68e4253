import Dispatch
import SubPub
import SubPubTesting
import Testing

// Rules 2.07 and 2.08.
extension Section2SubscriptionTests {
  @Test(
    "each state visits a lane in the order of subscribing, after cancels, deaths, compaction and newcomers too",
    arguments: ContextKind.shared)
  func required_2_07_order(kind: ContextKind) async throws {
    let (place, publisher, visits) = (Place(kind), publisher, Locked<[Int]>([]))
    var members: [LoggingSubscriber] = []
    func join(_ count: Int) {
      for _ in 0..<count {
        let number = (members.last?.number ?? -1) + 1
        let subscriber = Deaths().mortal()
        let subscription = publisher.subscribe(subscriber, on: place.context) { _, _ in
          visits.withLock { $0.append(number) }
        }
        members.append(LoggingSubscriber(number: number, subscriber: subscriber, subscription: subscription))
      }
    }
    var random = SeededGenerator(seed: 7)
    for round in 0..<12 {
      join(40)
      await publisher.drain()
      // Some are cancelled, some die, in the middle and at the end.
      for index in members.indices.reversed() where Int.random(in: 0..<3, using: &random) == 0 {
        if Bool.random(using: &random) { members[index].subscription.cancel() }
        members.remove(at: index)
      }
      // Every other time the entries of the dead are still there.
      if round.isMultiple(of: 2) { #expect(publisher.subscriberCount == members.count) }
      if round == 6 {
        for member in members.dropFirst(2) { member.subscription.cancel() }
        members.removeLast(members.count - 2)
      }
      visits.withLock { $0 = [] }
      for number in 1...2 { publisher.updateData(number) }
      await publisher.drain()
      let expected = members.map(\.number)
      #expect(visits.withLock { $0 } == expected + expected)
    }
  }

  /// Somebody who has joined, with what keeps it.
  private struct LoggingSubscriber {
    let number: Int
    let subscriber: Deaths.Mortal
    let subscription: Subscription
  }

  @Test("a replacement joins at the end", arguments: ContextKind.shared)
  func required_2_07_replacement(kind: ContextKind) async {
    let (place, visits) = (Place(kind), Locked<[Int]>([]))
    let faces = (0..<4).map { number in
      ExplicitPublisher<Int, any TypedSubscriber<Int>>(publisher) { _, _ in visits.withLock { $0.append(number) } }
    }
    for face in faces { face.subscribe(recorder, on: place.context) }
    await publisher.drain()
    faces[1].subscribe(recorder, on: place.context, ifDuplicate: .replace)
    await publisher.drain()
    visits.withLock { $0 = [] }
    publisher.updateData(1)
    await publisher.drain()
    #expect(visits.withLock { $0 } == [0, 2, 3, 1])
  }

  @Test("in bounded buffers too, those that get a state get it in that order", arguments: ContextKind.holdableShared)
  func required_2_07_bounded(kind: ContextKind) async {
    let (place, held) = (Place(kind), HeldRecorder())
    defer { held.gate.open() }
    let visits = Locked<[Visit]>([])
    publisher.subscribe(held, on: place.context)
    let policies: [BufferingPolicy] = [.latest, .unbounded, .newest(2), .newest(3), .unbounded]
    for (number, policy) in policies.enumerated() {
      publisher.subscribe(recorder, on: place.context, buffering: policy) { _, state in
        visits.withLock { $0.append(Visit(value: state.value ?? 0, number: number)) }
      }
    }
    await publisher.drain()
    visits.withLock { $0 = [] }
    await held.hold(publisher)
    for number in 2...4 { publisher.updateData(number) }
    held.gate.open()
    await publisher.drain()
    let found = visits.withLock { $0 }.filter { $0.value > 1 }
    let expected = [2: [1, 3, 4], 3: [1, 2, 3, 4], 4: [0, 1, 2, 3, 4]]
    // 1 is under way when 2, 3 and 4 come: for the others it is pending, or overtaken.
    for (value, numbers) in expected { #expect(found.filter { $0.value == value }.map(\.number) == numbers) }
  }

  private struct Visit {
    let value: Int
    let number: Int
  }

  @Test(
    "while a subscriber is held, all others are served: on every other context, and on its own where lanes are their own",
    arguments: ContextKind.holdableAsynchronous)
  func required_2_08_held(kind: ContextKind) async throws {
    let (place, publisher, held) = (Place(kind), publisher, HeldRecorder())
    defer { held.gate.open() }
    publisher.subscribe(held, on: place.context)
    await held.hold(publisher)
    var listeners: [Recorder<Int>] = []
    var others = ContextKind.allCases.filter { $0 != .main || kind != .main }.map(Place.init)
    if ContextKind.concurrent.contains(kind) { others.append(place) }
    for other in others {
      let listener = Recorder<Int>()
      publisher.subscribe(listener, on: other.independent)
      listeners.append(listener)
    }
    for number in 2...10 { publisher.updateData(number) }
    for listener in listeners { try await listener.wait { $0 == .loaded(10) } }
    #expect(held.versions.last == 1)
    held.gate.open()
    await publisher.drain()
    for listener in listeners { #expect(listener.publications.map(\.version) == Array(1...10)) }
    withExtendedLifetime(others) {}
  }

  @Test("those that share its lane are delayed, and lose nothing", arguments: ContextKind.holdableShared)
  func required_2_08_sameLane(kind: ContextKind) async throws {
    let (place, publisher, held, after) = (Place(kind), publisher, HeldRecorder(), Recorder<Int>())
    defer { held.gate.open() }
    publisher.subscribe(held, on: place.context)
    publisher.subscribe(after, on: place.context)
    await publisher.drain()
    await held.hold(publisher)
    publisher.updateData(2)
    #expect(after.states == [.unknown])
    held.gate.open()
    try await after.wait { $0 == .loaded(2) }
    await publisher.drain()
    #expect(after.states == [.unknown, .loaded(1), .loaded(2)])
  }

  @Test(
    "another publisher with subscribers on the same concurrent context is not delayed",
    arguments: ContextKind.concurrent)
  func required_2_08_otherPublisher(kind: ContextKind) async throws {
    let (place, other, held) = (Place(kind), Publisher<Int>(), HeldRecorder())
    defer { held.gate.open() }
    publisher.subscribe(held, on: place.context)
    await held.hold(publisher)
    other.subscribe(recorder, on: place.context)
    other.updateData(5)
    try await recorder.wait { $0 == .loaded(5) }
    #expect(held.versions.last == 1)
    held.gate.open()
    await publisher.drain()
  }
}
