import Foundation
import SubPub
import SubPubTesting
import Testing

// Rule 5.22: who holds whom, and what a release leaves behind.
extension Section5LoadTests {
  typealias Token = Deaths.Token

  /// The ways to derive a publisher from one source.
  enum Derivation: String, CaseIterable, Codable, Sendable {
    case mapped, withoutDuplicates, combined, chain

    /// Derives a publisher that captures an object whose death counts.
    func make(of source: Publisher<Int>, capturing deaths: Deaths) -> ReadOnlyPublisher<Int> {
      let token = deaths.makeToken()
      let transform: @Sendable (Int) -> Int = { value in withExtendedLifetime(token) { value } }
      return switch self {
      case .mapped: source.map(transform)
      case .withoutDuplicates: source.map(removingDuplicates: true, transform)
      case .combined: combining(source.map(transform))
      case .chain: source.map { $0 }.map(transform).map { $0 }
      }
    }
  }

  @Test("a derived publisher holds its source, and its source doesn't hold it", arguments: Derivation.allCases)
  func required_5_22_holding(_ derivation: Derivation) {
    let deaths = Deaths()
    var source: Publisher<Int>? = Publisher()
    var derived = source.map { derivation.make(of: $0, capturing: deaths) }
    let (weakSource, weakDerived) = (source.map(Weak.init), derived.map(Weak.init))
    source = nil
    #expect(weakSource?.object != nil)
    weakSource?.object?.updateData(1)
    #expect((derived?.state, deaths.count) == (.loaded(1), 0))
    derived = nil
    #expect(weakDerived?.object == nil)
    #expect(weakSource?.object == nil)
    #expect(deaths.count == 1)
  }

  @Test("releasing a derived publisher leaves nothing at its source", arguments: Derivation.allCases)
  func required_5_22_3_05_release(_ derivation: Derivation) {
    let (source, deaths, log) = (Publisher<Int>(), Deaths(), Recorder<Int>())
    source.subscribe(log, on: .immediate)
    for round in 1...3 {
      var derived: ReadOnlyPublisher<Int>? = derivation.make(of: source, capturing: deaths)
      #expect(source.subscriberCount == 2)
      #expect(source.subscriptions.contains { "\($0.subscriberType)".hasPrefix("ReadOnlyPublisher<") })
      source.updateData(round)
      #expect(derived?.state == .loaded(round))
      derived = nil
      #expect((source.subscriberCount, deaths.count) == (1, round))
    }
    source.updateData(4)
    #expect(log.states.count == 5)
  }

  @Test("no subscriber of the source replaces a derived publisher")
  func required_5_22_2_06_replacing() {
    let source = Publisher<Int>()
    let (mapped, other) = (source.map { $0 }, source.map { $0 })
    source.subscribe(other, on: .immediate, ifDuplicate: .replaceSameType) { _, _ in }
    source.subscribe(other, on: .immediate, ifDuplicate: .replace) { _, _ in }
    #expect(source.subscriberCount == 3)
    source.updateData(1)
    #expect((mapped.state, other.state) == (.loaded(1), .loaded(1)))
  }

  @Test("a derived publisher that is released delivers what is pending, and then ends", arguments: Derivation.allCases)
  func required_5_22_3_06_pending(_ derivation: Derivation) async {
    let (source, executor, log) = (Publisher<Int>(), ManualExecutor(), Recorder<Int>())
    var derived: ReadOnlyPublisher<Int>? = derivation.make(of: source, capturing: Deaths())
    let subscription = derived?.subscribe(log, on: .executor(executor))
    let states = derived?.states()
    source.updateData(1)
    source.updateData(2)
    derived = nil
    #expect(subscription?.isActive == true)
    source.updateData(3)
    executor.runAll()
    #expect((log.states, subscription?.isActive) == ([.unknown, .loaded(1), .loaded(2)], false))
    var iterator = states?.makeAsyncIterator()
    #expect(await iterator?.next() == .loaded(2))
    #expect(await iterator?.next() == nil)
  }

  @Test("a derived publisher may be released inside its own delivery", arguments: Derivation.allCases)
  func required_5_22_3_02_insideDelivery(_ derivation: Derivation) {
    let (source, deaths) = (Publisher<Int>(), Deaths())
    let (first, second) = (Recorder<Int>(), Recorder<Int>())
    let derived = Locked<ReadOnlyPublisher<Int>?>(derivation.make(of: source, capturing: deaths))
    let publisher = derived.withLock { $0 }.map(Weak.init)
    publisher?.object?.subscribe(first, on: .immediate) { first, state in
      first.receive(state)
      if state == .loaded(1) {
        derived.withLock { $0.take() }
        #expect(publisher?.object == nil)
        #expect(source.subscriberCount == 0)
        source.updateData(2)
      }
    }
    publisher?.object?.subscribe(second, on: .immediate)
    source.updateData(1)
    #expect(deaths.count == 1)
    // What is under way is still delivered to everyone, and nothing after it.
    #expect((first.states, second.states) == ([.unknown, .loaded(1)], [.unknown, .loaded(1)]))
    source.updateData(3)
    #expect(second.states.count == 2)
  }

  @Test("a derived publisher may be released by its own transform")
  func required_5_22_3_02_insideTransform() {
    let (source, deaths, log) = (Publisher<Int>(), Deaths(), Recorder<Int>())
    let derived = Locked<ReadOnlyPublisher<Int>?>(nil)
    let token = Locked<Token?>(deaths.makeToken())
    do {
      let mapped = source.map { [token = token.withLock { $0.take() }] value in
        if value == 2 { derived.withLock { $0.take() } }
        return withExtendedLifetime(token) { value }
      }
      mapped.subscribe(log, on: .immediate)
      derived.withLock { $0 = mapped }
    }
    source.updateData(1)
    source.updateData(2)
    #expect((source.subscriberCount, deaths.count) == (0, 1))
    // The transition that was being made is still delivered.
    #expect(log.states == [.unknown, .loaded(1), .loaded(2)])
    source.updateData(3)
    #expect(log.states.count == 3)
  }

  @Test("a release on another thread waits for no delivery, which goes on", arguments: Derivation.allCases)
  func required_5_22_3_05_elsewhere(_ derivation: Derivation) async throws {
    let (source, deaths, held) = (Publisher<Int>(), Deaths(), HeldRecorder())
    defer { held.gate.open() }
    let derived = Locked<ReadOnlyPublisher<Int>?>(derivation.make(of: source, capturing: deaths))
    let subscription = derived.withLock { $0?.subscribe(held, on: .immediate) }
    try await held.hold(source)
    try await OwnThread.run {
      derived.withLock { $0.take() }
      #expect(source.subscriberCount == 0)
      source.updateData(2)
    }
    #expect(subscription?.isActive == true)
    held.gate.open()
    try await deaths.wait()
    await source.drain()
    #expect((held.versions, subscription?.isActive) == ([0, 1], false))
  }

  @Test("a chain of 100 maps works on a thread with a stack of 512 KB")
  func required_5_22_chain() async throws {
    let done = Event()
    let result = Locked<[State]>([])
    let thread = Thread {
      let source = Publisher<Int>()
      var last: ReadOnlyPublisher<Int>? = (0..<100).reduce(source.readOnly) { last, _ in last.map { $0 + 1 } }
      source.startLoading()
      let log = Recorder<Int>()
      last?.subscribe(log, on: .immediate)
      source.updateData(1)
      source.setError(Failure.offline)
      #expect(last?.isStale == false)
      last = nil
      #expect(source.subscriberCount == 0)
      result.withLock { $0 = log.states }
      done.happen()
    }
    thread.stackSize = 512 * 1_024
    thread.start()
    try await done.wait()
    #expect(
      result.withLock { $0 } == [.loading(previous: nil), .loaded(101), .error(Failure.offline, previous: 101)])
  }

  @Test("waiting for a value keeps no publisher alive")
  func required_5_22_3_06_value() throws {
    let source = Publisher<Int>()
    var mapped: ReadOnlyPublisher<Int>? = source.map { $0 }
    let id = try #require(mapped?.id)
    let waiting = Trial { [weak mapped] in try await mapped?.value() ?? 0 }.run()
    #expect(mapped?.subscriberCount == 1)
    mapped = nil
    #expect(source.subscriberCount == 0)
    waiting.run()
    #expect(waiting.error as? PublisherEnded == PublisherEnded(source: id))
  }
}
