import SubPub
import Support
import Testing

/// Good histories written by hand, for a test to spoil.
enum Example {
  /// Two calls of ten nanoseconds each, and subscriptions that get versions 0 to 2.
  static func history(_ subscriptions: [SubscriptionHistory]) -> History {
    var history = History()
    history.calls = [call(1, 100), call(2, 200)]
    history.finalVersion = 2
    history.subscriptions = [subscription()] + subscriptions
    return history
  }

  static func call(_ count: Int, _ begin: UInt64) -> Call {
    Call(span: Span(begin: begin, end: begin + 10), number: Number.make(caller: 1, count: count))
  }

  /// Everything in order, in a lane of its own, until the end.
  static func subscription(_ spoil: (inout SubscriptionHistory) -> Void = { _ in }) -> SubscriptionHistory {
    var subscription = SubscriptionHistory()
    (subscription.joining, subscription.replay, subscription.isLasting) = (Span(begin: 10, end: 20), 0...0, true)
    subscription.deliveries = (0...2).map { delivery($0) }
    spoil(&subscription)
    return subscription
  }

  /// Version v is published at 100 v, and delivered at 100 v + 50 on thread 7.
  static func delivery(_ version: UInt32, at begin: UInt64? = nil) -> Delivery {
    let begin = begin ?? UInt64(version) * 100 + 50
    let number = version == 0 ? 0 : Number.make(caller: 1, count: Int(version))
    return Delivery(
      begin: begin, end: begin + 5, version: version, number: number, thread: 7, phase: version == 0 ? 0 : 2)
  }

  static func cancel(_ answer: CancelRecord.Answer, _ begin: UInt64, thread: UInt32 = 1) -> CancelRecord {
    CancelRecord(span: Span(begin: begin, end: begin + 2), answer: answer, thread: thread)
  }

  /// The rules that the checker finds broken.
  static func rules(_ history: History) -> Set<String> { Set(Checker.check(history).map(\.rule)) }
}

/// Changes that spoil a good history, the rule that is broken then, and similar changes that break none.
struct BadHistory: Sendable, CustomTestStringConvertible {
  typealias Change = @Sendable (inout SubscriptionHistory) -> Void

  let rule: String
  let name: String
  private let twinChanges: [Change]
  private let changes: [Change]
  var testDescription: String { "\(rule): \(name)" }

  init(_ rule: String, _ name: String, twin: Change..., spoil: Change...) {
    (self.rule, self.name, twinChanges, changes) = (rule, name, twin, spoil)
  }

  func twin(_ history: inout SubscriptionHistory) { for change in twinChanges { change(&history) } }
  func spoil(_ history: inout SubscriptionHistory) { for change in changes { change(&history) } }

  static func policy(_ policy: BufferingPolicy) -> Change { { $0.policy = policy } }

  /// Adds late deliveries of a replacement.
  static func replaced(_ versions: UInt32...) -> Change {
    {
      $0.replacements = 1
      for (index, version) in versions.enumerated() {
        $0.deliveries.append(Example.delivery(version, at: 400 + 100 * UInt64(index)))
      }
    }
  }
}
