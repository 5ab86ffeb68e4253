import SubPub
import SubPubTesting
import Testing

// Rules 2.03 and 2.10.
extension Section2SubscriptionTests {
  @TaskLocal static var request: Int?

  @Test("on the main actor, closures are called later, with and without .main")
  @MainActor func required_2_03_mainActor() async {
    @MainActor final class Screen { var states: [LoadState<Int>] = [] }
    let screen = Screen()
    let subscription = publisher.subscribe(screen, on: .main) { $0.states.append($1) }
    publisher.subscribe(screen) { $0.states.append($1) }
    #expect(subscription.context == .main)
    publisher.updateData(1)
    #expect(screen.states == [])
    await publisher.drain()
    #expect(screen.states == [.unknown, .unknown, .loaded(1), .loaded(1)])
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

  @Test(
    "a publishing thread delivers 256 states for others, and one of Dispatch the rest, in order",
    arguments: [BufferingPolicy.unbounded, .newest(300)])
  func required_2_03_others(policy: BufferingPolicy) async throws {
    let (publisher, gate, over, end) = (publisher, Gate(), Event(), Gate())
    defer { end.open() }
    let (threads, subscriber) = (Journal<ThreadToken>(), Recorder<Int>())
    let subscription = publisher.subscribe(subscriber, on: .immediate, buffering: policy) { subscriber, state in
      if state == .loaded(1) { gate.pass() }
      threads.add(.current)
      subscriber.receive(state)
    }
    OwnThread.start {
      publisher.updateData(1)
      threads.add(.current)
      over.happen()
      // Otherwise, Dispatch might use the same thread.
      end.pass()
    }
    try await gate.waitUntilHeld()
    for number in 2...602 { publisher.updateData(number) }
    gate.open()
    try await over.wait()
    await publisher.drain()
    let rest = policy == .unbounded ? Array(2...602) : Array(303...602)
    #expect(subscriber.states == [.unknown, .loaded(1)] + rest.map { .loaded($0) })
    // The replay, and then its own state; the last entry of the thread comes when its call returns.
    let carrier = threads.entries[1]
    #expect(threads.entries.count { $0 == carrier } == 1 + 256 + 1)
    #expect(threads.entries[2..<258].allSatisfy { $0 == carrier })
    #expect(subscription.statistics.delivered == 2 + rest.count)
  }

  @Test("no delivery sees the publishing task's local values or priority", arguments: ContextKind.asynchronous)
  func required_2_10_taskLocals(kind: ContextKind) async throws {
    let place = makePlace(kind)
    for priority in [TaskPriority.background, .low, .high] {
      let (publisher, seen, over) = (Publisher<Int>(), Event(), Event())
      let (own, others) = (Journal<TaskPriority>(), Journal<(request: Int?, priority: TaskPriority)>())
      // Not awaited, which would raise its priority.
      Task.detached(priority: priority) {
        own.add(Task.currentPriority)
        try await Self.$request.withValue(7) {
          publisher.subscribe(seen, on: place.context) { seen, _ in
            others.add((Self.request, Task.currentPriority))
            seen.happen()
          }
          for number in 1...5 {
            publisher.updateData(number)
            try await seen.wait(count: number + 1)
          }
        }
        over.happen()
      }
      try await over.wait()
      // On the context itself.
      try await place.run { Self.$request.withValue(8) { publisher.updateData(6) } }
      await publisher.drain()
      #expect(own.entries == [priority])
      #expect(others.entries.count == 7)
      #expect(others.entries.allSatisfy { $0.request == nil && $0.priority != priority })
    }
  }

  @Test("of deliveries inside the call, only immediate ones see its task-local values", arguments: [true, false])
  func required_2_10_insideCall(isImmediate: Bool) {
    let (seen, context) = (Journal<Int?>(), isImmediate ? DeliveryContext.immediate : .executor(InlineExecutor()))
    Self.$request.withValue(1) { publisher.subscribe(recorder, on: context) { _, _ in seen.add(Self.request) } }
    Self.$request.withValue(2) { publisher.updateData(1) }
    publisher.updateData(2)
    #expect(seen.entries == (isImmediate ? [1, 2, nil] : [nil, nil, nil]))
  }
}
