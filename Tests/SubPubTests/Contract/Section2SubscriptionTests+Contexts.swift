import SubPub
import SubPubTesting
import Testing

// Rules 2.03 and 2.10.
extension Section2SubscriptionTests {
  @TaskLocal static var request: Int?

  @Test("deliveries run on the declared context, and never inside the call", arguments: ContextKind.asynchronous)
  func required_2_03_declaredContext(kind: ContextKind) async throws {
    let (place, publisher, calls, elsewhere) = (makePlace(kind), publisher, CallTracker(), Event())
    let subscribeAndPublish: @Sendable () -> Void = {
      publisher.subscribe(calls, on: place.context) { calls, _ in
        calls.noteDelivery()
        if !place.isHere { elsewhere.happen() }
      }
      publisher.updateData(1)
    }
    try await OwnThread.run { calls.track(subscribeAndPublish) }
    try await place.run {
      #expect(place.isHere)
      calls.track(subscribeAndPublish)
    }
    await publisher.drain()
    #expect(calls.deliveries == 5)
    #expect(calls.insideCalls == 0)
    #expect(elsewhere.count == 0)
  }

  /// A subscriber of the main actor that stops the program when it is called elsewhere.
  @MainActor
  private final class MainActorScreen: MainActorTypedSubscriber, MainActorSubscriber {
    private(set) var received = 0

    func receive(_ state: LoadState<Int>) { note() }
    func receive(_ publication: any AnyPublication) { note() }

    private func note() {
      MainActor.preconditionIsolated()
      received += 1
    }
  }

  @Test("a main-actor class is called on the main actor, and never inside a publish there")
  @MainActor func required_2_03_mainActor() async {
    let (screen, publisher) = (MainActorScreen(), publisher)
    publisher.subscribe(screen)
    publisher.subscribe(screen as any MainActorSubscriber)
    publisher.subscribe(screen) { screen, state in screen.receive(state) }
    publisher.subscribe(screen) { $0.receive($1) }
    publisher.updateData(1)
    #expect(screen.received == 0)
    await publisher.drain()
    #expect(screen.received == 8)
  }

  @Test("immediate delivery runs on the calling thread before a publish or subscribe returns")
  func required_2_03_1_05_immediate() async throws {
    let (publisher, calls) = (publisher, CallTracker())
    let subscribe: @Sendable () -> Void = {
      publisher.subscribe(calls, on: .immediate) { calls, _ in calls.noteDelivery() }
    }
    calls.track(subscribe)
    try await OwnThread.run {
      for (number, operation) in Operation.allCases.enumerated() {
        calls.track { operation.perform(at: publisher) }
        #expect(calls.deliveries == number + 2)
      }
      calls.track(subscribe)
      #expect(calls.deliveries == Operation.allCases.count + 2)
    }
    #expect(calls.insideCalls == calls.deliveries)
  }

  @Test("a publish returns at once while its lane delivers on another thread, which then delivers the rest")
  func required_2_03_carriedOn() async throws {
    let (publisher, held) = (publisher, makeHeldRecorder())
    publisher.subscribe(held, on: .immediate)
    let (newcomer, carrier, threads) = (Recorder<Int>(), Locked<ThreadToken?>(nil), Locked<[ThreadToken]>([]))
    let over = Event()
    OwnThread.start {
      carrier.withLock { $0 = .current }
      publisher.updateData(1)
      over.happen()
    }
    try await held.gate.waitUntilHeld()
    try await OwnThread.run {
      publisher.updateData(2)
      publisher.updateData(3)
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

  @Test("a publish inside a delivery of its lane returns at once, and is delivered after that delivery")
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

  @Test("no delivery sees task-local values of the publishing or subscribing task", arguments: ContextKind.asynchronous)
  func required_2_10_taskLocals(kind: ContextKind) async throws {
    let (place, publisher) = (makePlace(kind), publisher)
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
    // On the context itself.
    try await place.run { Self.$request.withValue(21) { publisher.updateData(21) } }
    try await seen.wait(count: 22)
    #expect(foreign.count == 0)
  }

  @Test("no delivery sees task-local values on an executor that runs its jobs inside enqueue")
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

  @Test("no delivery sees the priority of the publishing or subscribing task", arguments: ContextKind.asynchronous)
  func required_2_10_priority(kind: ContextKind) async throws {
    let place = makePlace(kind)
    for priority in [TaskPriority.background, .low, .high] {
      let (publisher, seen, over) = (Publisher<Int>(), Event(), Event())
      let (own, others) = (Locked<[TaskPriority]>([]), Locked<[TaskPriority]>([]))
      // Not awaited, which would raise its priority.
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
