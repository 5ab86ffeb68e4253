import SubPub
import Support
import Testing

@Suite("The checker rejects every kind of bad history, and accepts a good one that looks similar")
struct CheckerTests {
  @Test("one bad subscription, and its twin", arguments: BadHistory.deliveries + BadHistory.counts + BadHistory.cancels)
  func subscription(bad: BadHistory) {
    #expect(Example.rules(Example.history([Example.subscription(bad.spoil)])).contains(bad.rule))
    #expect(Example.rules(Example.history([Example.subscription(bad.twin)])) == [])
  }

  @Test("the version counts the transitions") func transitions() {
    var history = Example.history([])
    history.calls.append(Call(span: Span(begin: 300, end: 310), number: 0, isTransition: false))
    #expect(Example.rules(history) == [])
    history.calls[2].isTransition = true
    #expect(Example.rules(history) == ["1.01"])
  }

  @Test("calls that follow each other keep their order") func calls() {
    var history = Example.history([])
    history.calls[0].span = Span(begin: 30, end: 250)
    history.calls[1].span = Span(begin: 30, end: 40)
    #expect(Example.rules(history) == [])
    history.calls[0].span = Span(begin: 45, end: 55)
    #expect(Example.rules(history) == ["1.02"])
  }

  @Test("a lane visits its subscriptions one at a time, in the order in which they subscribed") func order() {
    #expect(Example.rules(Example.history(lane(56, 156, 256))) == [])
    #expect(Example.rules(Example.history(lane(56, 140, 256))) == ["2.07"])
    #expect(Example.rules(Example.history(lane(56, 152, 256))) == ["2.07"])
    // Two that subscribed at the same time have no order.
    var history = Example.history(lane(40, 140, 240))
    #expect(Example.rules(history) == ["2.07"])
    history.subscriptions[2].joining.begin = 20
    #expect(Example.rules(history) == [])
  }

  @Test("a lane completes one round before the next") func rounds() {
    #expect(Example.rules(Example.history(lane(56, 170, 256))) == [])
    #expect(Example.rules(Example.history(lane(56, 300, 310))) == ["4.01"])
  }

  /// Two subscriptions of one lane, and when the second gets the three states.
  private func lane(_ begins: UInt64...) -> [SubscriptionHistory] {
    let first = Example.subscription { $0.lane = 1 }
    let second = Example.subscription { subscription in
      (subscription.lane, subscription.joining) = (1, Span(begin: 21, end: 30))
      subscription.deliveries = begins.enumerated().map { Example.delivery(UInt32($0), at: $1) }
    }
    return [first, second]
  }

  @Test("drain returns when all subscriptions of that moment are served, or have ended") func drain() {
    var history = Example.history([])
    history.drains = [(2, Span(begin: 240, end: 255)), (1, Span(begin: 120, end: 155))]
    #expect(Example.rules(history) == [])
    history.drains = [(2, Span(begin: 240, end: 254))]
    #expect(Example.rules(history) == ["3.07"])
    history.subscriptions[0].joining.end = 241
    #expect(Example.rules(history) == [])
    // The last state was never delivered, because a later cancel has dropped it.
    history = Example.history([
      Example.subscription {
        $0.isLasting = false
        $0.deliveries.removeLast()
        $0.cancels = [Example.cancel(.outcome(.quiescent), 260)]
      }
    ])
    history.drains = [(2, Span(begin: 240, end: 259))]
    #expect(Example.rules(history) == ["3.07"])
    history.drains = [(2, Span(begin: 240, end: 260))]
    #expect(Example.rules(history) == [])
    history.subscriptions[1].mayHaveEndedSince = 259
    history.drains = [(2, Span(begin: 240, end: 259))]
    #expect(Example.rules(history) == [])
  }

  @Test("a delegate that is never called has no last version") func neverCalled() {
    var history = History()
    history.subscriptions = [Example.subscription { ($0.replay, $0.deliveries) = (nil, []) }]
    for (last, rules) in [(nil, Set()), (1, ["2.04"])] as [(UInt32?, Set<String>)] {
      history.subscriptions[0].settled = Counts(delivered: 0, highWater: 0, lastVersion: last)
      #expect(Example.rules(history) == rules)
    }
  }

  @Test("dead subscribers aren't counted") func count() {
    var history = Example.history([])
    for (found, living, rules) in [
      (1, 1...1, Set()), (2, 1...1, ["2.05"]), (2, 1...2, []), (0, 1...2, ["2.05"]),
    ] {
      history.count = (found, living)
      #expect(Example.rules(history) == rules)
    }
  }

  @Test("pending states survive the publisher") func ending() {
    var history = Example.history([Example.subscription { $0.deliveries.removeLast() }])
    history.isEnded = true
    #expect(Example.rules(history) == ["3.06"])
  }

  @Test("a flooded lane lets others have their turn") func flood() {
    var flood = Flood(begins: Array(0..<1_000), others: [Span(begin: 100, end: 200)], allowance: 100)
    #expect(flood.check().isEmpty)
    flood.others.append(Span(begin: 300, end: 401))
    #expect(flood.check().map(\.rule) == ["2.08"])
  }
}
