import SubPub
import SubPubTesting
import Testing

// Rules 2.03 and 2.10.
extension Section2SubscriptionTests {
  @TaskLocal static var request: Int?

  @Test(
    "deliveries run on the declared context, published from wherever, and never inside the call",
    arguments: ContextKind.asynchronous)
  func required_2_03_declaredContext(kind: ContextKind) async throws {
    let (place, publisher, caller) = (Place(kind), publisher, CallerMark())
    let elsewhere = Event()
    @Sendable func subscribe() {
      publisher.subscribe(caller, on: place.context) { caller, _ in
        caller.note()
        if !place.isHere { elsewhere.happen() }
      }
    }
    try await OwnThread.run {
      caller.during {
        subscribe()
        publisher.updateData(1)
      }
    }
    try await place.run {
      #expect(place.isHere)
      caller.during {
        subscribe()
        publisher.updateData(2)
      }
    }
    await publisher.drain()
    #expect(caller.deliveries == 5)
    #expect(caller.insideCalls == 0)
    #expect(elsewhere.count == 0)
  }

  @Test(
    "published from the context itself, a delivery comes only after what runs there has ended",
    arguments: ContextKind.serial)
  func required_2_03_fromItself(kind: ContextKind) async throws {
    let (place, publisher, recorder) = (Place(kind), publisher, recorder)
    try await place.run {
      publisher.subscribe(recorder, on: place.context)
      #expect(recorder.states == [])
    }
    await publisher.drain()
    try await place.run {
      let count = recorder.states.count
      for number in 1...5 { publisher.updateData(number) }
      #expect(recorder.states.count == count)
    }
    await publisher.drain()
    #expect(recorder.states.count == 6)
  }

  @Test("a main-actor class is called on the main actor, also when the main actor publishes")
  @MainActor func required_2_03_mainActor() async {
    let (screen, publisher) = (MainScreen(), publisher)
    publisher.subscribe(screen)
    publisher.subscribe(screen as any MainActorSubscriber)
    publisher.subscribe(screen) { screen, state in screen.receive(state) }
    publisher.subscribe(screen) { $0.receive($1) }
    publisher.updateData(1)
    #expect(screen.received == 0)
    await publisher.drain()
    #expect(screen.received == 8)
  }

  @Test("immediate delivery happens before the call returns, on the calling thread: the replay too")
  func required_2_03_immediate() async throws {
    let (publisher, caller) = (publisher, CallerMark())
    publisher.subscribe(caller, on: .immediate) { caller, _ in caller.note() }
    #expect(caller.deliveries == 1)
    try await OwnThread.run {
      for count in 2...20 {
        caller.during { publisher.updateData(count) }
        #expect(caller.deliveries == count)
      }
      caller.during { publisher.subscribe(caller, on: .immediate) { caller, _ in caller.note() } }
      #expect(caller.deliveries == 21)
    }
    #expect(caller.insideCalls == 20)
  }

  @Test("when a delivery of the lane is under way elsewhere, the call returns at once, and that one carries on")
  func required_2_03_carriedOn() async throws {
    let (publisher, held) = (publisher, HeldRecorder())
    defer { held.gate.open() }
    publisher.subscribe(held, on: .immediate)
    let (newcomer, carrier, threads) = (Recorder<Int>(), Locked<ThreadToken?>(nil), Locked<[ThreadToken]>([]))
    let over = Event()
    OwnThread.start {
      carrier.withLock { $0 = .current }
      publisher.updateData(1)
      over.happen()
    }
    await held.gate.waitUntilHeld()
    try await OwnThread.run {
      publisher.updateData(2)
      publisher.updateData(3)
      // Its replay comes in its turn.
      publisher.subscribe(newcomer, on: .immediate) { newcomer, state in
        newcomer.receive(state)
        threads.withLock { $0.append(.current) }
      }
      publisher.updateData(4)
    }
    #expect(held.versions == [0, 1])
    #expect(newcomer.states == [])
    held.gate.open()
    try await over.wait()
    #expect(held.versions == [0, 1, 2, 3, 4])
    #expect(newcomer.states == [.loaded(3), .loaded(4)])
    let first = try #require(carrier.withLock { $0 })
    #expect(threads.withLock { $0 } == [first, first])
  }

  @Test("when a delivery of the lane is under way here, the call returns before it, and it carries on afterwards")
  func required_2_03_carriedOnHere() {
    let (publisher, recorder, newcomer) = (publisher, recorder, Recorder<Int>())
    publisher.subscribe(recorder, on: .immediate) { [weak publisher] recorder, state in
      recorder.receive(state)
      guard let publisher, state == .unknown else { return }
      publisher.updateData(1)
      publisher.subscribe(newcomer, on: .immediate)
      publisher.updateData(2)
      #expect(recorder.states == [.unknown])
      #expect(newcomer.states == [])
    }
    #expect(recorder.states == [.unknown, .loaded(1), .loaded(2)])
    #expect(newcomer.states == [.loaded(1), .loaded(2)])
  }

  @Test("no delivery sees a task-local value of who published or subscribed", arguments: ContextKind.asynchronous)
  func required_2_10_taskLocals(kind: ContextKind) async throws {
    let (place, publisher) = (Place(kind), publisher)
    let (seen, foreign) = (Event(), Event())
    let subscribe: @Sendable () -> Void = {
      publisher.subscribe(seen, on: place.context) { seen, _ in
        if Self.request != nil { foreign.happen() }
        seen.happen()
      }
    }
    Self.$request.withValue(7) { subscribe() }
    try await seen.wait()
    for number in 1...20 {
      Self.$request.withValue(number) { publisher.updateData(number) }
      try await seen.wait(count: number + 1)
    }
    // Not from the context either.
    try await place.run { Self.$request.withValue(21) { publisher.updateData(21) } }
    try await seen.wait(count: 22)
    #expect(foreign.count == 0)
  }

  @Test("also on an executor that runs its jobs inside enqueue")
  func required_2_10_inlineExecutor() {
    let (seen, executor) = (Locked<[Int?]>([]), InlineExecutor())
    Self.$request.withValue(7) {
      publisher.subscribe(recorder, on: .executor(executor)) { _, _ in seen.withLock { $0.append(Self.request) } }
      publisher.updateData(1)
    }
    #expect(seen.withLock { $0 } == [nil, nil])
  }

  @Test("immediate delivery sees the task-local values of the publishing thread")
  func required_2_10_immediate() {
    let seen = Locked<[Int?]>([])
    Self.$request.withValue(1) {
      publisher.subscribe(recorder, on: .immediate) { _, _ in seen.withLock { $0.append(Self.request) } }
    }
    Self.$request.withValue(2) { publisher.updateData(1) }
    publisher.updateData(2)
    #expect(seen.withLock { $0 } == [1, 2, nil])
  }

  @Test("no delivery sees the priority of who published or subscribed", arguments: ContextKind.asynchronous)
  func required_2_10_priority(kind: ContextKind) async throws {
    let place = Place(kind)
    for priority in [TaskPriority.background, .low, .high] {
      let (publisher, seen, over) = (Publisher<Int>(), Event(), Event())
      let (own, others) = (Locked<[TaskPriority]>([]), Locked<[TaskPriority]>([]))
      // Nobody awaits the task: that would raise its priority.
      Task.detached(priority: priority) {
        own.withLock { $0.append(Task.currentPriority) }
        publisher.subscribe(seen, on: place.context) { seen, _ in
          others.withLock { $0.append(Task.currentPriority) }
          seen.happen()
        }
        for number in 1...5 {
          publisher.updateData(number)
          try await seen.wait(count: number)
        }
        over.happen()
      }
      try await over.wait()
      await publisher.drain()
      #expect(own.withLock { $0 } == [priority])
      #expect(others.withLock { $0.count } == 6)
      #expect(!others.withLock { $0.contains(priority) })
    }
  }
}
