import Dispatch
import SubPub
import SubPubTesting
import Support
import Testing

extension StressTests {
  @Test("a flooded lane lets other lanes on the same context have their turn")
  func stochastic_2_08_fairness() async { await Workload.fairness.run(Fairness.perform) }
}

/// Two publishers flood one serial context; others have one state each for a subscriber there, one after the other.
///
/// Each of those has a lane of its own. A lane that has served several states may use up its time slice, if the system has
/// suspended its thread, and hand back; on a default actor it then has to pass through the global queue, where the system
/// may suspend it again.
enum Fairness {
  private static let flood = 6_000
  private static let others = 12
  /// A lane hands back after 256 deliveries; each flooding lane may have been about to begin, and get one more turn.
  private static let allowance = 4 * 256

  @Sendable static func perform(_ round: Round) async -> RoundResult {
    var random = round.random(50)
    let place = random.pick(Places.all.filter(\.isExclusive))
    let kind = SubscriptionKind(at: place, place.kind == .main ? .mainTyped : .typed)
    let floods = [PublisherUnderTest(), PublisherUnderTest()]
    let quiet = (0..<others).map { _ in PublisherUnderTest() }
    let arrived = DispatchSemaphore(value: 0)
    var subscribers = (floods + quiet).map { _ in Subscribers() }
    for (index, tested) in floods.enumerated() { subscribers[index].add(kind, to: tested) }
    for (index, tested) in quiet.enumerated() {
      subscribers[floods.count + index].add(kind, to: tested) { _, number in if number != 0 { arrived.signal() } }
    }
    let calls = await ThreadGroup(size: 3).run { index in
      var random = round.random(index)
      guard index < floods.count else {
        var hasArrived = true
        return quiet.map { tested in
          var caller = Caller(index + 1)
          if hasArrived {
            caller.publish(tested.publisher, &random)
            hasArrived = arrived.wait(timeout: .now() + .seconds(60)) == .success
          }
          return caller.calls
        }
      }
      var caller = Caller(index + 1)
      for _ in 0..<flood { caller.publish(floods[index].publisher, &random) }
      return [caller.calls]
    }.flatMap(\.self)
    var result = RoundResult()
    for (index, tested) in (floods + quiet).enumerated() {
      result.histories.append(await subscribers[index].history(of: tested, calls: calls[index]))
    }
    result.floods = [flood(in: result.histories)]
    return result
  }

  private static func flood(in histories: [History]) -> Flood {
    var flood = Flood(allowance: allowance)
    flood.begins = histories[0...1].flatMap { $0.subscriptions[0].deliveries.map(\.begin) }
    for history in histories.dropFirst(2) {
      // The first delivery is the replay.
      let delivered = history.subscriptions[0].deliveries.dropFirst()
      flood.others += zip(history.calls, delivered).map { Span(begin: $0.span.end, end: $1.begin) }
    }
    return flood
  }
}

/// Checks whether a flooded lane lets other lanes of the queue have their turn, in deliveries and not in time.
struct Flood: Sendable {
  /// When each delivery of the flooded lanes began.
  var begins: [UInt64] = []
  /// From the end of a publish to the delivery, for other lanes.
  var others: [Span] = []
  /// How many deliveries of the flood may come first.
  var allowance: Int

  func check() -> [Violation] {
    let sorted = begins.sorted()
    let worst = others.map { count(sorted, before: $0.end) - count(sorted, before: $0.begin) }.max() ?? 0
    guard worst > allowance else { return [] }
    return [Violation(rule: "2.08", text: "\(worst) deliveries of a flood came first, \(allowance) may")]
  }

  private func count(_ sorted: [UInt64], before moment: UInt64) -> Int {
    var (low, high) = (0, sorted.count)
    while low < high {
      let middle = (low + high) / 2
      if sorted[middle] < moment { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
