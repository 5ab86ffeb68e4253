import SubPub
import SubPubTesting
import Support

/// Subscribers that stay for a whole round.
struct Subscribers: Sendable {
  var live: [LiveSubscriber] = []
  var readers: [SequenceReader] = []
  /// Cancelled long ago, but alive until their histories are complete.
  var survivors: [LiveSubscriber] = []

  mutating func add(_ kind: SubscriptionKind, to tested: PublisherUnderTest, reaction: DeliveryLog.Reaction? = nil) {
    live.append(tested.subscribe(kind, by: 0, order: live.count, reaction: reaction, capacity: 256))
  }

  /// Adds a subscriber that receives every state with its version, so that the checker knows all states.
  mutating func addReference(to tested: PublisherUnderTest, reaction: DeliveryLog.Reaction? = nil) {
    add(SubscriptionKind(at: Places.background), to: tested, reaction: reaction)
  }

  mutating func addReader(_ interface: Interface, _ policy: BufferingPolicy, of tested: PublisherUnderTest) {
    readers.append(SequenceReader(interface, policy, of: tested, by: 0, order: readers.count))
  }

  /// Takes over the subscribers that are left in the groups, and returns the subscriptions that have ended.
  mutating func take(_ groups: [ChurnGroup]) async -> [RecordedSubscription] {
    for group in groups {
      live += group.present
      survivors += group.survivors
      for reader in group.readers { reader.task.cancel() }
      for reader in group.readers { await reader.task.value }
    }
    return groups.flatMap { $0.ended + $0.readers.map(\.subscription) }
  }

  /// Waits until everything is delivered, ends all subscriptions, and returns what was recorded.
  ///
  /// The `others` ended before, or are held elsewhere.
  func history(
    of tested: PublisherUnderTest, calls: [Call], others: [RecordedSubscription] = []
  ) async -> History {
    var history = History()
    let version = tested.version
    let begin = Stamp.now()
    await tested.publisher.drain()
    history.drains = [(version, Span(since: begin))]
    history.finalVersion = tested.version
    let held = live.count + readers.count
    // An actor lives until the job that it runs has ended, for example the last one of a lane.
    let lingering = others.count { $0.mayLinger }
    history.count = (tested.publisher.subscriberCount, held...held + lingering)
    history.subscriptions = await finish(others: others)
    history.calls = calls + live.flatMap(\.subscription.log.calls)
    return history
  }

  func finish(others: [RecordedSubscription] = [], cancelsReaders: Bool = true) async -> [SubscriptionHistory] {
    for subscriber in live { subscriber.subscription.settle() }
    for reader in readers {
      reader.subscription.settle()
      if cancelsReaders { reader.task.cancel() }
      await reader.task.value
    }
    var histories: [SubscriptionHistory] = []
    for subscription in live.map(\.subscription) + others + readers.map(\.subscription) {
      histories.append(await subscription.finish())
    }
    return histories
  }
}

/// Large sets of subscribers.
extension Subscribers {
  /// Every context, interface and policy.
  static func all(of tested: PublisherUnderTest, in round: Round) async -> Subscribers {
    var subscribers = await ThreadGroup.alone {
      var (random, subscribers) = (round.random(100), Subscribers())
      subscribers.addReference(to: tested)
      for _ in 0..<4 { for kind in Self.sharingLanes(&random) { subscribers.add(kind, to: tested) } }
      for kind in Self.withOwnLanes(&random) { subscribers.add(kind, to: tested) }
      for index in 0..<18 {
        let policy = index < 15 ? .unbounded : BufferingPolicy.draw(&random)
        subscribers.addReader(SequenceReader.interfaces[index % 3], policy, of: tested)
      }
      return subscribers
    }
    var random = round.random(101)
    let policies = (0..<10).map { _ in random.draw(2) == 0 ? .unbounded : BufferingPolicy.draw(&random) }
    let count = subscribers.live.count
    subscribers.live += await MainActor.run {
      policies.enumerated().map { tested.subscribeExplicitly($1, order: 1_000 + count + $0) }
    }
    return subscribers
  }

  /// Only interfaces that pass the version, for states that don't tell which version they are.
  static func withVersions(of tested: PublisherUnderTest, in round: Round) async -> Subscribers {
    await ThreadGroup.alone {
      var (random, subscribers) = (round.random(102), Subscribers())
      subscribers.addReference(to: tested)
      for place in Places.all {
        for _ in 0..<(place.kind.isShared ? 4 : 1) {
          let interface = random.pick(place.kind == .main ? [.mainTyped, .mainUntyped] : [Interface.typed, .untyped])
          let policy = random.draw(2) == 0 ? .unbounded : BufferingPolicy.draw(&random)
          subscribers.add(SubscriptionKind(at: place, interface, policy), to: tested)
        }
      }
      return subscribers
    }
  }

  private static func sharingLanes(_ random: inout SeededGenerator) -> [SubscriptionKind] {
    var kinds: [SubscriptionKind] = []
    for place in Places.all where place.kind.isShared {
      for interface in place.kind == .main ? Interface.main + Interface.main : Interface.anywhere {
        let policy = random.draw(2) == 0 ? .unbounded : BufferingPolicy.draw(&random)
        kinds.append(SubscriptionKind(at: place, interface, policy))
      }
    }
    return kinds
  }

  private static func withOwnLanes(_ random: inout SeededGenerator) -> [SubscriptionKind] {
    var kinds = [BufferingPolicy.unbounded, .unbounded, .draw(&random)].map { SubscriptionKind(actorWith: $0) }
    for place in Places.all where !place.kind.isShared {
      for interface in [Interface.typed, .handler] {
        kinds.append(SubscriptionKind(at: place, interface))
        kinds.append(SubscriptionKind(at: place, random.pick(Interface.anywhere), .draw(&random)))
      }
    }
    return kinds
  }
}
