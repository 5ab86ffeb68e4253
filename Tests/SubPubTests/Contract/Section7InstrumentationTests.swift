import SubPub
import SubPubTesting
import Testing

@Suite(
  "Section 7: instrumentation and snapshots see everything once, and in order", .serialized, .hangLimit)
struct Section7InstrumentationTests: ContractSuite {

  let lifetime = TestLifetime()
  let recorder = Recorder<Int>()
  let events = Events()

  /// Writes down what it is told.
  final class Events: Instrumentation {
    private let lines = Locked<[String]>([])
    /// Called with each line, while nothing is locked.
    private let reaction: Locked<@Sendable (String) -> Void>

    init(_ reaction: @escaping @Sendable (String) -> Void = { _ in }) { self.reaction = Locked(reaction) }

    func note(_ line: String) {
      lines.withLock { $0.append(line) }
      reaction.withLock { $0 }(line)
    }

    func react(_ reaction: @escaping @Sendable (String) -> Void) { self.reaction.withLock { $0 = reaction } }

    func take() -> [String] {
      lines.withLock { lines in
        defer { lines = [] }
        return lines
      }
    }

    private func name(_ subscription: Subscription) -> String { subscription.label ?? "?" }

    func published(_ publication: any AnyPublication) { note("published \(publication.version)") }
    func subscribed(_ subscription: Subscription, to source: PublisherID) { note("\(name(subscription)) subscribed") }
    func delivered(_ publication: any AnyPublication, to subscription: Subscription, took: Duration) {
      note("\(name(subscription)) got \(publication.version)\(took < .zero ? "?" : "")")
    }
    func skipped(_ count: Int, by subscription: Subscription) { note("\(name(subscription)) skipped \(count)") }
    func ended(_ subscription: Subscription, _ end: SubscriptionEnd) { note("\(name(subscription)) ended: \(end)") }
    func load<T>(_ load: LoadDescription, _ attempt: () async throws -> T) async throws -> T {
      note("\(load.isPage ? "page" : "load") \(load.attempt) begins")
      defer { note("load \(load.attempt) ends") }
      return try await attempt()
    }
    func loaded(_ load: LoadDescription, attempts: Int, after duration: Duration, error: (any Error)?) {
      note("loaded after \(attempts), \(duration), \(error.map { "\(type(of: $0))" } ?? "no error")")
    }
    func cacheFailed(_ failure: CacheFailure, of source: PublisherID) { note("cache: \(failure.operation)") }
  }

  private func makePublisher() -> Publisher<Int> { Publisher(instrumentation: events) }

  @Test("on one thread everything is told in order")
  func required_7_04_order() {
    let publisher = makePublisher()
    let subscription = publisher.subscribe(recorder, on: .immediate, label: "A")
    publisher.updateData(1)
    publisher.subscribe(recorder, on: .immediate, ifDuplicate: .replace, label: "B")
    publisher.startLoading()
    publisher.finish()
    publisher.updateData(2)
    #expect(
      events.take() == [
        "A subscribed", "A got 0", "published 1", "A got 1", "A ended: cancelled", "B subscribed", "B got 1",
        "published 2", "B got 2", "B ended: publisherEnded",
      ])
    #expect(subscription.end == .cancelled)
    // Duplicates that are ignored are no subscriptions.
    let other = makePublisher()
    for label in ["A", "B"] { other.subscribe(recorder, on: .immediate, label: label) }
    #expect(events.take() == ["A subscribed", "A got 0"])
  }

  @Test("skipped states are counted when the next is delivered, and at the end", arguments: ContextKind.stoppable)
  func required_7_04_2_04_skipped(kind: ContextKind) async throws {
    let (place, publisher) = (makePlace(kind), makePublisher())
    let subscription = try await place.whileStopped {
      let subscription = publisher.subscribe(recorder, on: place.context, buffering: .newest(2), label: "A")
      for number in 1...5 { publisher.updateData(number) }
      return subscription
    }
    await publisher.drain()
    try await place.whileStopped {
      for number in 6...9 { publisher.updateData(number) }
      subscription.cancel()
    }
    let told = events.take().filter { !$0.hasPrefix("published") }
    #expect(told == ["A subscribed", "A skipped 4", "A got 4", "A got 5", "A skipped 4", "A ended: cancelled"])
    #expect(subscription.statistics.skipped == 8)
  }

  @Test("what was skipped is told at the end, even if nothing was delivered", arguments: ContextKind.stoppable)
  func required_7_04_2_04_onlySkipped(kind: ContextKind) async throws {
    let (place, publisher) = (makePlace(kind), makePublisher())
    try await place.whileStopped {
      let policies: [BufferingPolicy] = [.latest, .unbounded]
      let subscriptions = policies.map { policy in
        publisher.subscribe(recorder, on: place.context, buffering: policy, ifDuplicate: .allow, label: "\(policy)")
      }
      for number in 1...3 { publisher.updateData(number) }
      for subscription in subscriptions { subscription.cancel() }
      #expect(subscriptions.map(\.statistics.skipped) == [4, 4])
    }
    let told = events.take().filter { $0.contains("skipped") || $0.contains("got") }
    #expect(told == ["latest skipped 4", "unbounded skipped 4"])
  }

  @Test("sequences are told of, too")
  func required_7_04_6_01_sequences() async {
    let publisher = makePublisher()
    do {
      var states = publisher.states(buffering: .newest(2), label: "A").makeAsyncIterator()
      for number in 1...3 { publisher.updateData(number) }
      _ = await states.next()
      publisher.updateData(4)
      publisher.updateData(5)
    }
    let told = events.take().filter { !$0.hasPrefix("published") }
    #expect(told == ["A subscribed", "A skipped 2", "A got 2", "A skipped 3", "A ended: cancelled"])
  }

  @Test("an iterator's last state is told before its end")
  func required_7_04_3_10_lastOfSequence() async {
    let publisher = makePublisher()
    var states = publisher.states(label: "A").makeAsyncIterator()
    publisher.updateData(1)
    publisher.finish()
    while await states.next() != nil {}
    let told = ["A subscribed", "published 1", "A got 0", "A got 1", "A ended: publisherEnded"]
    #expect(events.take() == told)
  }

  @Test("an end is told when the delivery under way has ended, whatever its reason")
  func required_7_04_3_10_ends() async throws {
    let (publisher, held) = (makePublisher(), makeHeldRecorder())
    let subscription = publisher.subscribe(held, on: makePlace(.queue).context, buffering: .ending(1), label: "A")
    // Otherwise, on a busy machine, two states are pending too soon.
    try await held.wait(count: 1)
    try await held.hold(publisher)
    for number in 2...3 { publisher.updateData(number) }
    #expect(subscription.end == .fellBehind)
    #expect(!events.take().contains("A ended: fellBehind"))
    held.gate.open()
    #expect(await subscription.ended() == .fellBehind)
    do {
      let brief = Recorder<Int>()
      publisher.subscribe(brief, on: .background, label: "B")
      await publisher.drain()
      withExtendedLifetime(brief) {}
    }
    #expect(publisher.subscriberCount == 0)
    let told = events.take().filter { $0.hasPrefix("A") || $0.contains("ended") }
    #expect(told == ["A got 1", "A skipped 2", "A ended: fellBehind", "B ended: subscriberReleased"])
  }

  @Test("a subscription is told before its deliveries, even if they come while it is told")
  func required_7_04_beginning() {
    /// Publishes before it notes that somebody has subscribed.
    struct Late: Instrumentation {
      let events: Events
      let publisher: Locked<Publisher<Int>?>

      func subscribed(_ subscription: Subscription, to source: PublisherID) {
        publisher.withLock { $0 }?.updateData(1)
        events.subscribed(subscription, to: source)
      }
      func delivered(_ publication: any AnyPublication, to subscription: Subscription, took: Duration) {
        events.delivered(publication, to: subscription, took: took)
      }
    }
    let late = Late(events: events, publisher: Locked(nil))
    let publisher = Publisher<Int>(instrumentation: late)
    late.publisher.withLock { $0 = publisher }
    publisher.subscribe(recorder, on: .immediate, label: "A")
    #expect(recorder.states == [.unknown, .loaded(1)])
    publisher.updateData(2)
    #expect(events.take() == ["A subscribed", "A got 0", "A got 1", "A got 2"])
    late.publisher.withLock { $0 = nil }
  }

  @Test("a delivery is told as soon as it has ended, even if its state is still to be told")
  func required_7_04_deliveries() {
    let publisher = makePublisher()
    publisher.subscribe(recorder, on: .immediate, label: "A")
    _ = events.take()
    events.react { [weak publisher] line in if line == "published 1" { publisher?.updateData(2) } }
    publisher.updateData(1)
    #expect(events.take() == ["published 1", "A got 1", "A got 2", "published 2"])
  }

  @Test("it is told of a state within the values that this carries, and may publish on the publishing thread")
  func required_7_04_2_03_2_10_published() {
    enum Caller { @TaskLocal static var name = "none" }
    struct Publishing: Instrumentation {
      let seen = Journal<String>()
      let recorder: Recorder<Int>
      let publisher = Locked<Publisher<Int>?>(nil)

      func published(_ publication: any AnyPublication) {
        seen.add(Caller.name)
        guard publication.version == 1 else { return }
        Caller.$name.withValue("two") { publisher.withLock { $0 }?.updateData(2) }
        // Both were delivered before that call has returned.
        seen.add("\(recorder.states.compactMap(\.value))")
      }
    }
    let instrumentation = Publishing(recorder: recorder)
    let publisher = Publisher<Int>(propagating: [.taskLocal(Caller.$name)], instrumentation: instrumentation)
    instrumentation.publisher.withLock { $0 = publisher }
    publisher.subscribe(recorder, on: .immediate)
    Caller.$name.withValue("one") { publisher.updateData(1) }
    #expect(instrumentation.seen.entries == ["one", "[1, 2]", "two"])
    instrumentation.publisher.withLock { $0 = nil }
  }

  @Test("it may use the publisher, in whatever it is told")
  func required_7_04_1_04_reentrant() async throws {
    let publisher = makePublisher()
    events.react { [weak publisher, recorder] line in
      guard let publisher else { return }
      switch line {
      case "A subscribed": publisher.updateData(1)
      case "published 1": publisher.subscribe(recorder, on: .immediate, ifDuplicate: .allow, label: "B")
      case "B got 1": publisher.updateData(2)
      case "A got 2": publisher.unsubscribe(recorder)
      case "B ended: cancelled": publisher.finish()
      default: break
      }
    }
    publisher.subscribe(recorder, on: .immediate, label: "A")
    #expect(publisher.isFinished)
    #expect(publisher.current.version == 2)
    let told = events.take()
    #expect(told.filter { $0.hasPrefix("published") } == ["published 1", "published 2"])
    #expect(told.filter { $0.contains("ended") }.count == 2)
  }

  @Test("loads are told of by attempt, with their span around it")
  func required_7_04_loads() async {
    let bench = LoadBench(retry: RetryPolicy(maxAttempts: 2) { _, _ in .seconds(2) }) { $0.instrumentation = events }
    let refresh = bench.call { await bench.manager.refresh() }
    bench.pass(.seconds(1))
    bench.fail(0)
    var snapshot = bench.publisher.snapshot()
    #expect((snapshot.isLoading, snapshot.attempt, snapshot.lastFailure) == (true, 1, "\(Failure.offline)"))
    bench.pass(.seconds(2))
    snapshot = bench.publisher.snapshot()
    #expect(snapshot.attempt == 2)
    bench.source.answer(1, .success(7))
    bench.run()
    #expect(refresh.result == .loaded(7))
    let told = events.take().filter { $0.contains("load") }
    #expect(
      told == ["load 1 begins", "load 1 ends", "load 2 begins", "load 2 ends", "loaded after 2, 3.0 seconds, no error"])
    snapshot = bench.publisher.snapshot()
    #expect((snapshot.isLoading, snapshot.attempt, snapshot.lastFailure) == (false, 0, nil))
    let cancelled = bench.call { await bench.manager.refresh() }
    bench.publisher.updateData(8)
    bench.run()
    #expect(cancelled.result == .loaded(8))
    #expect(events.take().contains("loaded after 1, 0.0 seconds, CancellationError"))
    bench.finish()
  }

  @Test("nothing is told of a load whose loader was never called, at whatever moment it is cancelled")
  func required_7_04_5_05_neverCalled() {
    var outcomes: Set<Int> = []
    for jobs in 0..<12 {
      let bench = LoadBench { $0.instrumentation = events }
      let caller = bench.caller()
      for _ in 0..<jobs { bench.executor.runOne() }
      caller.cancel()
      bench.run()
      let told = events.take()
      #expect(told.filter { $0 == "load 1 begins" }.count == bench.source.calls)
      #expect(told.filter { $0.hasPrefix("loaded") }.count == bench.source.calls, "after \(jobs) jobs")
      outcomes.insert(bench.source.calls)
      bench.finish()
    }
    #expect(outcomes == [0, 1])
  }

  /// When a load is superseded.
  enum Moment: String, CaseIterable, Codable, Sendable {
    case inLoader, inAttemptFailed, betweenAttempts, inIsUnchanged, afterSuccess
  }

  @Test(
    "a superseded load has failed with a cancellation, whatever came of its last attempt", arguments: Moment.allCases)
  func required_7_04_5_04_superseded(moment: Moment) async {
    let published = Locked<Publisher<Int>?>(nil)
    let supersede: @Sendable (Moment) -> Void = { now in
      if now == moment { published.withLock { $0 }?.updateData(50) }
    }
    let bench = LoadBench(retry: RetryPolicy(maxAttempts: 2) { _, _ in .seconds(2) }, initial: 1) {
      $0.instrumentation = events
      $0.attemptFailed = { _, _ in supersede(.inAttemptFailed) }
      $0.isUnchanged = { _, _ in
        supersede(.inIsUnchanged)
        return true
      }
    }
    published.withLock { $0 = bench.publisher }
    let refresh = bench.refresh()
    supersede(.inLoader)
    bench.fail(0)
    supersede(.betweenAttempts)
    bench.pass(.seconds(2))
    if bench.source.calls > 1 { bench.answer(1, 1) }
    supersede(.afterSuccess)
    let told = events.take().filter { $0.hasPrefix("loaded") }
    let attempts = moment == .inIsUnchanged || moment == .afterSuccess ? 2 : 1
    let outcome = moment == .afterSuccess ? "no error" : "CancellationError"
    #expect(told.count == 1)
    #expect(told.first?.hasPrefix("loaded after \(attempts), ") == true)
    #expect(told.first?.hasSuffix(outcome) == true)
    #expect(refresh.result == .loaded(moment == .afterSuccess ? 1 : 50))
    published.withLock { $0 = nil }
    bench.finish()
  }

  @Test("a superseded load's failures are forgotten")
  func required_7_04_3_05_failures() {
    let deaths = Deaths()
    let bench = LoadBench(retry: RetryPolicy(maxAttempts: 2) { _, _ in .seconds(2) })
    bench.refresh()
    bench.fail(0, TokenError(token: deaths.makeToken()))
    #expect(bench.publisher.snapshot().lastFailure != nil)
    bench.logout()
    #expect(bench.publisher.snapshot().lastFailure == nil)
    bench.finish()
    #expect(deaths.count == 1)
  }

  private struct TokenError: Error { let token: Deaths.Token }

  @Test("failures of the cache are told, too")
  func required_7_04_5_12_cache() async {
    let cache = ProbeCache()
    cache.refuse(.read)
    let manager = LoadingManager(cache: cache, instrumentation: events) { 1 }
    await manager.refresh()
    await manager.waitForCache()
    #expect(events.take().filter { $0.hasPrefix("cache") } == ["cache: read"])
  }

  @Test("a directory's is that of what it makes")
  func required_7_04_directory() {
    let directory = PublisherDirectory(instrumentation: events)
    let registered = Publisher<String>()
    directory.register(registered)
    directory.publisher(of: Int.self).updateData(1)
    registered.updateData("one")
    #expect(events.take() == ["published 1"])
  }

  @Test("concurrent states are told once and in order, and so is each subscription", arguments: ContextKind.allCases)
  func stochastic_7_04_concurrent(kind: ContextKind) async throws {
    let (place, publisher) = (makePlace(kind), makePublisher())
    let subscribers = (0..<4).map { _ in keep(Recorder<Int>()) }
    let policies: [BufferingPolicy] = [.unbounded, .latest, .newest(3), .ending(2_000)]
    let subscriptions = zip(subscribers, policies).map {
      publisher.subscribe($0, on: place.context, buffering: $1, label: "\($1)")
    }
    try await Race.run(threads: 3) { _ in for number in 0..<300 { publisher.updateData(number) } }
    await publisher.drain()
    publisher.finish()
    for subscription in subscriptions { #expect(await subscription.ended() == .publisherEnded) }
    // Another thread may still be telling what this one has brought about.
    var told: [String] = []
    while told.count(where: { $0.contains(" ended: ") }) < subscriptions.count {
      told += events.take()
      await Task.yield()
    }
    #expect(told.filter { $0.hasPrefix("published") } == (1...900).map { "published \($0)" })
    for subscription in subscriptions {
      let (label, statistics) = (subscription.label ?? "", subscription.statistics)
      let mine = told.filter { $0.hasPrefix(label + " ") }
      #expect(mine.first == "\(label) subscribed")
      #expect(mine.last == "\(label) ended: publisherEnded")
      #expect(mine.filter { $0.contains(" got ") }.count == statistics.delivered)
      let skipped = mine.filter { $0.contains(" skipped ") }.compactMap { Int($0.split(separator: " ").last ?? "") }
      #expect(skipped.reduce(0, +) == statistics.skipped)
    }
  }
}
