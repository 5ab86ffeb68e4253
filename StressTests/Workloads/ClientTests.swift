import Testing

extension StressTests {
  /// Threads publish, and subscribe clients that end when they fall behind, that want some time between two states, and
  /// that come back where they were; then the publisher is finished.
  @Test("laggards skip nothing, paces keep their distance, who comes back misses nothing, and changes lead to lists")
  func stochastic_2_11_2_12_3_09_3_10_6_05_6_06_7_04_clients() async {
    await Workload.clients.run { round in
      let (telemetry, result) = (Telemetry(), RoundResult())
      let publisher = Publisher<Payload>(history: 10_000, instrumentation: telemetry)
      let lists = publisher.map { Row.list(of: $0.number) }
      let readers = ([.unbounded, .latest, .newest(3)] as [BufferingPolicy]).map { policy in
        Task { [changes = lists.changes(buffering: policy)] in await Row.read(changes, result.findings) }
      }
      let (groups, calls) = await round.play { index, random, caller in
        var clients: [Client] = []
        for _ in 0..<150 {
          switch random.draw(8) {
          case 0...3: for _ in 0..<random.draw(12) { caller.publish(publisher, &random) }
          case 4, 5: clients.append(Client(of: publisher, &random))
          case 6: if let client = clients.randomElement(using: &random) { client.subscription.cancel() }
          default:
            let id = publisher.current.id
            caller.publish(publisher, &random)
            let pending = publisher.publications(after: id).makeAsyncIterator().statistics.pending
            // At least its own state, unless that was dropped, and perhaps those of others.
            result.findings.expect(
              pending >= 1 || publisher.isFinished, "6.05", "a client that comes back misses a state")
          }
        }
        if index == 0 { publisher.finish() }
        return clients
      }
      let last = publisher.current.version
      for client in groups.flatMap({ $0 }) { await client.check(last, result.findings) }
      await publisher.drain()
      for reader in readers {
        let list = await reader.value
        result.findings.expect(list == lists.state.value ?? [], "6.06", "the changes don't lead to the last list")
      }
      result.findings.expect(publisher.subscriberCount == 0, "3.09", "a finished publisher has subscribers")
      result.findings.expect(telemetry.isInOrder.value, "7.04", "states are told of in another order")
      var checked = result
      (checked.operations, checked.deliveries) = (calls.count, telemetry.deliveries.value)
      return checked
    }
  }
}

/// A subscriber that checks what it receives.
private final class Client: Sendable {
  private struct Seen {
    var last: UInt64?
    var count = 0
    var hasGap = false
    /// When the payload of the last state was made.
    var made: ContinuousClock.Instant?
    var isTooSoon = false
  }

  private static let interval = Duration.microseconds(500)

  private let place: Place
  private let policy: BufferingPolicy
  private let seen = Guarded(Seen())
  private let ownSubscription = Guarded<Subscription?>(nil)

  init(of publisher: Publisher<Payload>, _ random: inout SeededGenerator) {
    let paced = BufferingPolicy.latest(every: Self.interval)
    let policy = random.pick([.ending(1), .ending(4), .ending(500), paced, .unbounded])
    let kinds = ContextKind.allCases.filter { $0 != .immediate || policy != paced }
    self.policy = policy
    place = Places.draw(random.pick(kinds), &random)
    let subscription = publisher.subscribe(
      self, on: place.context, buffering: policy, label: "client",
      publication: { client, publication in client.receive(publication) })
    ownSubscription.with { $0 = subscription }
  }

  var subscription: Subscription {
    guard let subscription = ownSubscription.value else { preconditionFailure("it has subscribed in init") }
    return subscription
  }

  private func receive(_ publication: Publication<Payload>) {
    let (version, now) = (publication.version, ContinuousClock.now)
    seen.with { seen in
      if let last = seen.last { seen.hasGap = seen.hasGap || version != last + 1 }
      // The delivery before began after its payload was made, and this one began before now. When a delivery has begun,
      // only the library knows: a busy machine may hold up a subscriber before it can look at the clock.
      if let made = seen.made { seen.isTooSoon = seen.isTooSoon || made.duration(to: now) < Self.interval }
      (seen.last, seen.made) = (version, publication.state.value?.made)
      seen.count += 1
    }
  }

  func check(_ last: UInt64, _ findings: Findings) async {
    let end = await subscription.ended()
    let (seen, statistics) = (seen.value, subscription.statistics)
    findings.expect(end != nil && end == subscription.end, "3.10", "a subscription ends twice, or not at all")
    findings.expect(statistics.delivered == seen.count, "3.10", "a delivery follows the end")
    findings.expect(statistics.pending == 0, "2.04", "something is pending after the end")
    findings.expect(end != .publisherEnded || seen.last == last, "3.09", "the last state is lost")
    switch policy {
    case .paced: findings.expect(!seen.isTooSoon, "2.12", "two deliveries are too close")
    default: findings.expect(!seen.hasGap, "2.11", "a state is skipped before the end")
    }
    if case .ending(let limit) = policy, end == .fellBehind {
      findings.expect(statistics.skipped >= limit, "2.11", "a subscription ends that isn't behind")
    }
  }
}

/// A row of lists that differ in a few rows, and in their order.
private struct Row: Identifiable, Equatable {
  let id: Int
  let number: UInt32

  static func list(of number: UInt32) -> [Row] {
    // The first row tells which list it is.
    [Row(id: -1, number: number)]
      + (0..<12).map { Row(id: ($0 * Int(1 + number % 3) + Int(number % 5)) % 17, number: number / (2 << UInt32($0))) }
  }

  /// Applies every change, and returns the last list.
  static func read(_ changes: ListChangeSequence<Row>, _ findings: Findings) async -> [Row] {
    var list: [Row] = []
    for await change in changes {
      list = change.applied(to: list)
      let expected = list.first.map { Self.list(of: $0.number) } ?? []
      findings.expect(list == expected, "6.06", "a change leads to a list that nobody has published")
    }
    return list
  }
}

private final class Telemetry: Instrumentation {
  let isInOrder = Guarded(true)
  let deliveries = Guarded(0)
  private let last = Guarded<UInt64>(0)

  func published(_ publication: any AnyPublication) {
    let expected = last.with { last in
      defer { last = publication.version }
      return last + 1
    }
    if publication.version != expected { isInOrder.with { $0 = false } }
  }

  func delivered(_ publication: any AnyPublication, to subscription: Subscription, took: Duration) {
    deliveries.with { $0 += 1 }
  }
}
