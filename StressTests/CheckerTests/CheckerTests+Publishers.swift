/// All subscriptions of a publisher.
extension CheckerTests {
  private typealias Row = Bad<History>

  /// Two subscriptions of one lane, and when the second gets the three states.
  private static func lane(_ begins: UInt64...) -> Row.Change {
    { history in
      for isFirst in [true, false] {
        history.subscriptions.append(
          Example.subscription {
            $0.lane = 1
            if isFirst { return }
            $0.joining = Span(begin: 21, end: 30)
            $0.deliveries = begins.enumerated().map { Example.delivery(UInt32($0), at: $1) }
          })
      }
    }
  }
  private static func count(_ found: Int, _ living: ClosedRange<Int>) -> Row.Change { { $0.count = (found, living) } }

  static let publishers: [Bad<History>] = [
    Row(
      "1.01", "the version doesn't count the transitions",
      given: { $0.calls.append(Call(span: Span(begin: 300, end: 310), number: 0, isTransition: false)) },
      spoil: { $0.calls[2].isTransition = true }),
    Row(
      "1.02", "calls that follow each other change places", given: { $0.calls[1].span = Span(begin: 30, end: 40) },
      twin: { $0.calls[0].span = Span(begin: 30, end: 250) }, spoil: { $0.calls[0].span = Span(begin: 45, end: 55) }),
    Row("2.07", "a lane visits one before its turn", twin: lane(56, 156, 256), spoil: lane(56, 140, 256)),
    Row("2.07", "a lane visits one during another", spoil: lane(56, 152, 256)),
    // Two that subscribed at the same time have no order.
    Row(
      "2.07", "a lane always visits the later one first", given: lane(40, 140, 240),
      twin: { $0.subscriptions[2].joining.begin = 20 }, spoil: { _ in }),
    Row("4.01", "a lane begins a round before another is over", twin: lane(56, 170, 256), spoil: lane(56, 300, 310)),
    Row("2.05", "more subscribers than can live", twin: count(1, 1...1), spoil: count(2, 1...1)),
    Row("2.05", "fewer subscribers than live", twin: count(2, 1...2), spoil: count(0, 1...2)),
    Row(
      "3.06", "a pending state doesn't survive the publisher", given: { $0.isEnded = true },
      spoil: { $0.subscriptions.append(Example.subscription { $0.deliveries.removeLast() }) }),
  ]

  private static func drain(_ end: UInt64) -> Row.Change { { $0.drains = [(2, Span(begin: 240, end: end))] } }

  /// A subscription that a cancel ends before the last state is delivered.
  private static let cancelled: Row.Change = { history in
    history.subscriptions.append(
      Example.subscription {
        $0.isLasting = false
        $0.deliveries.removeLast()
        $0.cancels = [Example.cancel(.outcome(.quiescent), 260)]
      })
  }

  /// A drain returns when all subscriptions of that moment are served, or have ended.
  static let drains: [Bad<History>] = [
    Row("3.07", "during the last delivery", twin: drain(255), spoil: drain(254)),
    Row(
      "3.07", "during an earlier delivery", twin: { $0.drains = [(1, Span(begin: 120, end: 155))] },
      spoil: { $0.drains = [(1, Span(begin: 120, end: 154))] }),
    Row(
      "3.07", "too soon for one that had just subscribed", given: drain(254),
      twin: { $0.subscriptions[0].joining.end = 241 }, spoil: { $0.subscriptions[0].joining.end = 240 }),
    Row("3.07", "before the cancel", given: cancelled, twin: drain(260), spoil: drain(259)),
    Row(
      "3.07", "before another end", given: cancelled, drain(259),
      twin: { $0.subscriptions[1].mayHaveEndedSince = 259 }, spoil: { $0.subscriptions[1].mayHaveEndedSince = 260 }),
  ]

  private static let first = Number.make(caller: 1, count: 1)

  /// Versions from 0: the first is made by a call with a number, the others by calls without.
  private static func showing(_ states: (number: UInt32, phase: UInt8)...) -> Row.Change {
    { history in
      let others = states.dropFirst(2).map { _ in Call(span: Span(begin: 150, end: 160), number: 0) }
      (history.calls, history.finalVersion) = ([Example.call(1, 100)] + others, UInt32(states.count - 1))
      history.subscriptions[0].deliveries = states.enumerated().map { version, state in
        var delivery = Example.delivery(UInt32(version), at: 200 + 10 * UInt64(version))
        (delivery.number, delivery.phase) = (state.number, state.phase)
        return delivery
      }
    }
  }

  /// A sequence of values gets only the loaded states.
  private static func values(_ deliveries: Delivery...) -> Row.Change {
    { history in
      history.subscriptions.append(
        Example.subscription { ($0.interface, $0.context, $0.deliveries) = (.values, nil, deliveries) })
    }
  }

  static let states: [Bad<History>] = [
    Row(
      "5.01", "previous data is lost while loading",
      twin: showing((0, 0), (first, 2), (first, 1), (first, 3), (first, 2)),
      spoil: showing((0, 0), (first, 2), (0, 1))),
    // But the same value may be published again.
    Row(
      "5.01", "a value comes back after a reset", given: showing((0, 0), (first, 2), (0, 0), (first, 1)),
      twin: { $0.hasUniqueValues = false }, spoil: { _ in }),
    Row(
      "5.02", "a reset keeps the value", twin: showing((0, 0), (first, 2), (0, 0), (0, 1)),
      spoil: showing((0, 0), (first, 2), (first, 0))),
    Row(
      "6.03", "a sequence of values gets none", given: showing((0, 0), (first, 2), (first, 1)),
      twin: values(Example.delivery(1, at: 210)), spoil: values()),
  ]

  /// Two delegates, of which the first defines the order; the numbers are those of the second.
  private static func called(_ numbers: UInt32..., joining begin: UInt64 = 10) -> Row.Change {
    { history in
      history.finalVersion = nil
      history.subscriptions = [[1, 2], numbers].map { numbers in
        Example.subscription { subscription in
          subscription.replay = nil
          subscription.deliveries = numbers.map { Example.delivery($0) }
          for index in numbers.indices { subscription.deliveries[index].version = Delivery.unknownVersion }
        }
      }
      history.subscriptions[1].joining = Span(begin: begin, end: begin + 10)
    }
  }
  private static let uncalled: Row.Change = { history in
    history = History()
    history.subscriptions = [Example.subscription { ($0.replay, $0.deliveries) = (nil, []) }]
  }
  private static func settled(_ last: UInt32?) -> Row.Change {
    { $0.subscriptions[0].settled = Counts(delivered: 0, highWater: 0, lastVersion: last) }
  }

  /// All delegates get the same calls in the same order, since they were added.
  static let delegates: [Bad<History>] = [
    Row("1.02 1.03 2.01 2.02", "in another order", twin: called(1, 2), spoil: called(2, 1)),
    Row("1.03", "without the last call", spoil: called(1)),
    Row("2.01", "without the first call", twin: called(2, joining: 150), spoil: called(2)),
    Row("2.01", "with a call from before it was added", spoil: called(1, 2, joining: 150)),
    Row("2.04", "a last version without a call", given: uncalled, twin: settled(nil), spoil: settled(1)),
  ]
}
