import SubPub
import Support
import Testing

@Suite("The checker knows which load state may follow another, and calls without a version")
struct StateCheckerTests {
  /// Versions from 0: the first is made by a call with a number, the others by calls without.
  private func history(_ states: [(number: UInt32, phase: UInt8)]) -> History {
    var history = Example.history([])
    let others = states.dropFirst(2).map { _ in Call(span: Span(begin: 150, end: 160), number: 0) }
    history.calls = [Example.call(1, 100)] + others
    history.finalVersion = UInt32(states.count - 1)
    history.subscriptions[0].deliveries = states.enumerated().map { version, state in
      var delivery = Example.delivery(UInt32(version), at: 200 + 10 * UInt64(version))
      (delivery.number, delivery.phase) = (state.number, state.phase)
      return delivery
    }
    return history
  }

  private let first = Number.make(caller: 1, count: 1)

  @Test("previous data survives loading and errors") func previous() {
    #expect(Example.rules(history([(0, 0), (first, 2), (first, 1), (first, 3), (first, 2)])) == [])
    #expect(Example.rules(history([(0, 0), (first, 2), (0, 1)])) == ["5.01"])
    var again = history([(0, 0), (first, 2), (0, 0), (first, 1)])
    #expect(Example.rules(again) == ["5.01"])
    // The same value may be published again.
    again.hasUniqueValues = false
    #expect(Example.rules(again) == [])
  }

  @Test("a reset clears it") func reset() {
    #expect(Example.rules(history([(0, 0), (first, 2), (0, 0), (0, 1)])) == [])
    #expect(Example.rules(history([(0, 0), (first, 2), (first, 0)])) == ["5.02"])
  }

  /// Two delegates, of which the first defines the order.
  private func delegates(_ numbers: [Int], joining: Span) -> History {
    var history = Example.history([])
    history.finalVersion = nil
    history.subscriptions = [[1, 2], numbers].map { numbers in
      Example.subscription { subscription in
        subscription.replay = nil
        subscription.deliveries = numbers.map {
          var delivery = Example.delivery(UInt32($0))
          delivery.version = Delivery.unknownVersion
          return delivery
        }
      }
    }
    history.subscriptions[1].joining = joining
    return history
  }

  @Test("all delegates get the same calls in the same order, since they were added") func calls() {
    #expect(Example.rules(delegates([1, 2], joining: Span(begin: 10, end: 20))) == [])
    #expect(Example.rules(delegates([2], joining: Span(begin: 150, end: 160))) == [])
    #expect(Example.rules(delegates([2, 1], joining: Span(begin: 10, end: 20))).contains("1.02"))
    #expect(Example.rules(delegates([1], joining: Span(begin: 10, end: 20))) == ["1.03"])
    #expect(Example.rules(delegates([2], joining: Span(begin: 10, end: 20))) == ["2.01"])
    #expect(Example.rules(delegates([1, 2], joining: Span(begin: 150, end: 160))) == ["2.01"])
  }

  @Test("a sequence of values gets only the loaded states") func values() {
    var history = history([(0, 0), (first, 2), (first, 1)])
    history.subscriptions.append(
      Example.subscription { subscription in
        (subscription.interface, subscription.context) = (.values, nil)
        subscription.deliveries = [Example.delivery(1, at: 210)]
      })
    #expect(Example.rules(history) == [])
    history.subscriptions[1].deliveries = []
    #expect(Example.rules(history) == ["6.03"])
  }
}
