import Testing

/// Changes that spoil a good history, the rules that are broken then, and similar changes that break none.
struct Bad<Record: Sendable>: Sendable, CustomTestStringConvertible {
  typealias Change = @Sendable (inout Record) -> Void

  private let rules: String
  private let name: String
  private let twin: [Change]
  private let spoil: [Change]
  var testDescription: String { "\(rules): \(name)" }

  init(_ rules: String, _ name: String, given: Change..., twin: Change..., spoil: Change...) {
    (self.rules, self.name, self.twin, self.spoil) = (rules, name, given + twin, given + spoil)
  }

  /// Expects that the spoiled history breaks exactly the rules, and its twin none.
  func check(_ good: Record, _ check: (Record) -> [Violation]) {
    let rules = [twin, spoil].map { changes in
      var history = good
      for change in changes { change(&history) }
      return Set(check(history).map(\.rule))
    }
    #expect(rules[0] == [])
    #expect(rules[1] == Set(self.rules.split(separator: " ").map(String.init)))
  }
}

/// Good histories written by hand, for a test to spoil.
enum Example {
  /// Two calls of ten nanoseconds each, and subscriptions that get versions 0 to 2.
  static func history(_ subscriptions: SubscriptionHistory...) -> History {
    var history = History()
    (history.calls, history.finalVersion) = ([call(1, 100), call(2, 200)], 2)
    history.subscriptions = [subscription()] + subscriptions
    return history
  }

  static func call(_ count: Int, _ begin: UInt64) -> Call {
    Call(span: Span(begin: begin, end: begin + 10), number: Number.make(caller: 1, count: count))
  }

  /// Everything in order, in a lane of its own, until the end.
  static func subscription(_ change: (inout SubscriptionHistory) -> Void = { _ in }) -> SubscriptionHistory {
    var subscription = SubscriptionHistory()
    (subscription.joining, subscription.replay, subscription.isLasting) = (Span(begin: 10, end: 20), 0...0, true)
    subscription.deliveries = (0...2).map { delivery($0) }
    change(&subscription)
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
}
