/// Subscribers of one publisher, which one thread adds and ends.
struct Subscribers: Sendable {
  /// Nil when that has ended, and for delegates.
  private weak let publisher: PublisherUnderTest?
  /// Those that are alive.
  var live: [RecordedSubscription] = []
  /// Those that were cancelled or released, or end by themselves.
  var ended: [RecordedSubscription] = []

  init(of tested: PublisherUnderTest?) { publisher = tested }

  private var tested: PublisherUnderTest {
    guard let publisher else { preconditionFailure("The publisher has ended.") }
    return publisher
  }

  mutating func add(_ kind: SubscriptionKind, reaction: RecordedSubscription.Reaction? = nil) {
    live.append(tested.subscribe(kind, reaction: reaction))
  }

  /// Adds a subscriber that receives every state with its version, so that the checker knows all states.
  mutating func addReference(reaction: RecordedSubscription.Reaction? = nil) {
    add(SubscriptionKind(at: Places[.background][0]), reaction: reaction)
  }

  mutating func addReader(_ interface: Interface, _ policy: BufferingPolicy) {
    live.append(tested.read(interface, policy))
  }

  /// Starts a sequence that ends by itself after some states.
  mutating func read(_ random: inout SeededGenerator, limit: Int) {
    ended.append(tested.read(random.pick(Interface.sequences), .draw(&random), limit: limit))
  }

  /// Subscribes one of them again: its subscription stays as it is, and nothing is replayed.
  func subscribeAgain(_ random: inout SeededGenerator) {
    guard !live.isEmpty else { return }
    let subscription = random.pick(live)
    guard subscription.kind.interface == .typed, let recorder = subscription.subscriber as? PlainRecorder else {
      return
    }
    tested.publisher.subscribe(recorder, on: .background)
  }

  /// Cancels one of them, and releases half of those; otherwise, a delivery in flight reaches its subscriber.
  mutating func cancel(_ random: inout SeededGenerator) {
    guard let subscription = remove(&random) else { return }
    subscription.cancel()
    if random.draw(2) != 0 { subscription.drop() }
  }

  /// Cancels all subscriptions of one object.
  mutating func unsubscribe(_ random: inout SeededGenerator) {
    guard let subscription = remove(&random), let object = subscription.subscriber else { return }
    let (outcome, span) = Span.of { tested.publisher.unsubscribe(object) }
    let record = CancelRecord(span: span, answer: .outcome(outcome), thread: ThreadMark.current)
    subscription.note { $0.cancels.append(record) }
    subscription.drop()
  }

  mutating func release(_ random: inout SeededGenerator) { remove(&random)?.release() }

  func readStatistics(_ random: inout SeededGenerator) { if !live.isEmpty { random.pick(live).readStatistics() } }

  private mutating func remove(_ random: inout SeededGenerator) -> RecordedSubscription? {
    guard !live.isEmpty else { return nil }
    let subscription = live.remove(at: random.draw(live.count))
    ended.append(subscription)
    return subscription
  }

  static func += (all: inout Subscribers, groups: [Subscribers]) {
    all.live += groups.flatMap(\.live)
    all.ended += groups.flatMap(\.ended)
  }

  /// Waits until everything is delivered, ends all subscriptions, and returns what was recorded.
  func history(of tested: PublisherUnderTest, calls: [Call]) async -> History {
    var history = History()
    for subscription in ended { await subscription.endTask() }
    let (version, begin) = (tested.version, Stamp.now())
    await tested.publisher.drain()
    history.drains = [(version, Span(since: begin))]
    history.finalVersion = tested.version
    // An actor lives until the job that it runs has ended, for example the last one of a lane.
    let lingering = ended.count { $0.mayLinger }
    // Nobody but the main actor looks at its objects.
    let count = await MainActor.run { tested.publisher.subscriberCount }
    history.count = (count, live.count...live.count + lingering)
    history.subscriptions = await finish()
    history.calls = calls
    return history
  }

  /// Ends all subscriptions; after the publisher's end, sequences end by themselves.
  func finish(afterEnd: Bool = false) async -> [SubscriptionHistory] {
    for subscription in live {
      if afterEnd { await subscription.cancelAndWait() } else { subscription.task?.cancel() }
      subscription.settle()
      await subscription.task?.value
    }
    var histories: [SubscriptionHistory] = []
    for subscription in live + ended { histories.append(await subscription.finish()) }
    return histories
  }
}

extension Subscribers {
  /// Every context, interface and policy; `withVersions`, only interfaces that pass the version.
  static func all(of tested: PublisherUnderTest, in round: Round, withVersions: Bool) async -> Subscribers {
    var (random, subscribers) = await Threads.alone {
      var (random, subscribers) = (round.random(withVersions ? 102 : 100), Subscribers(of: tested))
      subscribers.addReference()
      for place in Places.all {
        let all = place.kind == .main ? Interface.main + Interface.main : Interface.anywhere
        for interface in withVersions ? Array(all[..<2]) : all {
          for _ in 0..<(place.kind.isShared ? 4 : 2) / (withVersions ? 2 : 1) {
            // Half of them are unbounded.
            let policy = random.draw(2) == 0 ? .unbounded : BufferingPolicy.draw(&random)
            subscribers.add(SubscriptionKind(at: place, interface, policy))
          }
        }
      }
      guard !withVersions else { return (random, subscribers) }
      for policy in [BufferingPolicy.unbounded, .unbounded, .draw(&random)] {
        subscribers.add(SubscriptionKind(actorWith: policy))
      }
      for index in 0..<18 {
        subscribers.addReader(Interface.sequences[index % 3], index < 15 ? .unbounded : .draw(&random))
      }
      return (random, subscribers)
    }
    guard !withVersions else { return subscribers }
    let policies = (0..<10).map { $0 % 2 == 0 ? .unbounded : BufferingPolicy.draw(&random) }
    subscribers.live += await MainActor.run { policies.map { tested.subscribeExplicitly($0) } }
    return subscribers
  }
}
