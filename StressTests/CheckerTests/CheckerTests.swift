import SubPub
import Testing

/// The checker finds what is wrong, and nothing else.
@Suite("The checker of the stress target rejects every kind of bad history, and its good twin passes")
struct CheckerTests {
  @Test("one spoilt history, and its twin", arguments: BadHistory.deliveries + BadHistory.counts + BadHistory.cancels)
  func history(bad: BadHistory) {
    #expect(HandMade.rules(HandMade.course([HandMade.history(bad.spoil)])).contains(bad.rule))
    #expect(HandMade.rules(HandMade.course([HandMade.history(bad.twin)])) == [])
  }

  @Test("the version counts the transitions") func transitions() {
    var course = HandMade.course([])
    course.calls.append(Call(span: Span(begin: 300, end: 310), number: 0, isTransition: false))
    #expect(HandMade.rules(course) == [])
    course.calls[2].isTransition = true
    #expect(HandMade.rules(course) == ["1.01"])
  }

  @Test("of two calls, one after the other, the first is the earlier version") func calls() {
    var course = HandMade.course([])
    course.calls[0].span = Span(begin: 30, end: 250)
    course.calls[1].span = Span(begin: 30, end: 40)
    #expect(HandMade.rules(course) == [])
    course.calls[0].span = Span(begin: 45, end: 55)
    #expect(HandMade.rules(course) == ["1.02"])
  }

  @Test("a lane visits its subscriptions in the order of joining") func order() {
    #expect(HandMade.rules(HandMade.course(lane(56, 156, 256))) == [])
    #expect(HandMade.rules(HandMade.course(lane(56, 140, 256))).contains("2.07"))
    // Others have joined at the same time as these, so nobody knows.
    var course = HandMade.course(lane(40, 140, 240))
    course.histories[2].joiner = 1
    #expect(HandMade.rules(course) == [])
  }

  @Test("a lane goes through one round after the other") func rounds() {
    #expect(HandMade.rules(HandMade.course(lane(56, 170, 256))) == [])
    #expect(HandMade.rules(HandMade.course(lane(56, 300, 310))) == ["4.01"])
  }

  /// Two of one lane; when the second gets the three states.
  private func lane(_ begins: UInt64...) -> [History] {
    let first = HandMade.history { ($0.lane, $0.order) = (1, 1) }
    let second = HandMade.history { history in
      (history.lane, history.order) = (1, 2)
      history.deliveries = begins.enumerated().map { HandMade.delivery(UInt32($0), at: $1) }
    }
    return [first, second]
  }

  @Test("drain returns when everyone was served") func drain() {
    var course = HandMade.course([HandMade.history()])
    course.drains = [(2, Span(begin: 240, end: 255)), (1, Span(begin: 120, end: 155))]
    #expect(HandMade.rules(course) == [])
    course.drains = [(2, Span(begin: 240, end: 254))]
    #expect(HandMade.rules(course) == ["3.07"])
  }

  @Test("the dead are not counted") func count() {
    var course = HandMade.course([])
    course.count = (found: 1, living: 1...1)
    #expect(HandMade.rules(course) == [])
    course.count = (found: 2, living: 1...1)
    #expect(HandMade.rules(course) == ["2.05"])
    course.count = (found: 2, living: 1...2)
    #expect(HandMade.rules(course) == [])
    course.count = (found: 0, living: 1...2)
    #expect(HandMade.rules(course) == ["2.05"])
  }

  @Test("pending states survive the publisher") func ending() {
    var course = HandMade.course([HandMade.history { $0.deliveries.removeLast() }])
    course.isEnded = true
    #expect(HandMade.rules(course) == ["3.06"])
  }

  @Test("a flood lets others have their turn") func flood() {
    var flood = Flood(begins: Array(0..<1_000), others: [Span(begin: 100, end: 200)], allowance: 100)
    #expect(flood.check().isEmpty)
    flood.others.append(Span(begin: 300, end: 401))
    #expect(flood.check().map(\.rule) == ["2.08"])
  }
}
