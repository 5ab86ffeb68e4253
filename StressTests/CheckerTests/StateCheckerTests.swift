import SubPub
import Testing

/// What is wrong with states and with calls that have no version.
@Suite("The checker knows what a load state may become, and calls that have no version")
struct StateCheckerTests {
  /// Versions 0 to 3, of which a call with a number made the first, and others the rest.
  private func course(_ states: [(number: UInt32, phase: UInt8)]) -> Course {
    var course = Course()
    course.isNumbered = false
    course.calls =
      [HandMade.call(1, 100)]
      + states.dropFirst(2).map { _ in
        Call(span: Span(begin: 150, end: 160), number: 0, isTransition: true)
      }
    course.finalVersion = UInt32(states.count - 1)
    course.histories = [
      HandMade.history { history in
        history.deliveries = states.enumerated().map { version, state in
          var delivery = HandMade.delivery(UInt32(version), at: 200 + 10 * UInt64(version))
          (delivery.number, delivery.phase) = (state.number, state.phase)
          return delivery
        }
      }
    ]
    return course
  }

  private let first = Number.make(caller: 1, count: 1)

  @Test("previous data survives loading and errors") func previous() {
    #expect(HandMade.rules(course([(0, 0), (first, 2), (first, 1), (first, 3), (first, 2)])) == [])
    #expect(HandMade.rules(course([(0, 0), (first, 2), (0, 1)])) == ["5.01"])
    #expect(HandMade.rules(course([(0, 0), (first, 2), (0, 0), (first, 1)])) == ["5.01"])
  }

  @Test("a reset clears it") func reset() {
    #expect(HandMade.rules(course([(0, 0), (first, 2), (0, 0), (0, 1)])) == [])
    #expect(HandMade.rules(course([(0, 0), (first, 2), (first, 0)])) == ["5.02"])
  }

  /// Delegates: the first says the order.
  private func delegates(_ numbers: [Int], joining: Span) -> Course {
    var course = Course()
    course.calls = [HandMade.call(1, 100), HandMade.call(2, 200)]
    course.histories = [[1, 2], numbers].map { numbers in
      HandMade.history { history in
        history.replay = nil
        history.deliveries = numbers.map {
          var delivery = HandMade.delivery(UInt32($0))
          delivery.version = DeliveryRecord.unknownVersion
          return delivery
        }
      }
    }
    course.histories[1].joining = joining
    return course
  }

  @Test("all delegates get the same calls in the same order, from their joining on") func calls() {
    #expect(HandMade.rules(delegates([1, 2], joining: Span(begin: 10, end: 20))) == [])
    #expect(HandMade.rules(delegates([2], joining: Span(begin: 150, end: 160))) == [])
    #expect(HandMade.rules(delegates([2, 1], joining: Span(begin: 10, end: 20))).contains("1.02"))
    #expect(HandMade.rules(delegates([1], joining: Span(begin: 10, end: 20))) == ["1.03"])
    #expect(HandMade.rules(delegates([2], joining: Span(begin: 10, end: 20))) == ["2.01"])
    #expect(HandMade.rules(delegates([1, 2], joining: Span(begin: 150, end: 160))) == ["2.01"])
  }

  @Test("a sequence of values gets the loaded states only") func values() {
    var course = course([(0, 0), (first, 2), (first, 1)])
    course.isNumbered = true
    let values = HandMade.history { history in
      (history.face, history.venue) = (.values, .task)
      history.deliveries = [HandMade.delivery(1, at: 210)]
    }
    course.histories.append(values)
    #expect(HandMade.rules(course) == [])
    course.histories[1].deliveries = []
    #expect(HandMade.rules(course) == ["6.03"])
  }
}
