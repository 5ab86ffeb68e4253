import SubPub
import Testing

extension MisuseTests {
  /// Everything that changes a publisher.
  enum Change: String, CaseIterable, Codable, Sendable {
    case startLoading, updateData, setError, reset, setState, publish, update, updateDataIfChanged

    struct Failure: Error {}

    func make(at publisher: Publisher<Int>) {
      switch self {
      case .startLoading: publisher.startLoading()
      case .updateData: publisher.updateData(2)
      case .setError: publisher.setError(Failure())
      case .reset: publisher.reset()
      case .setState: publisher.setState(.loaded(3))
      case .publish: publisher.republish()
      case .update: publisher.update { $0 }
      case .updateDataIfChanged: publisher.updateData(ifChanged: 4)
      }
    }
  }

  @Suite("A transform that changes the publisher that it is for would run for ever: it stops the program")
  struct TransformMisuseTests {
    @Test("by any of the functions that change it", arguments: Change.allCases)
    func required_1_01_directly(change: Change) async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [change] in
        let publisher = Publisher<Int>(label: "balance")
        publisher.update { state in
          change.make(at: publisher)
          return state
        }
      }
      #expect(message(result).contains("on balance changes the same publisher"))
    }

    @Test("through the transform of another publisher", arguments: [Change.updateData, .update])
    func required_1_01_throughAnother(change: Change) async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [change] in
        let (publisher, other) = (Publisher<Int>(label: "balance"), Publisher<Int>(label: "other"))
        publisher.update { state in
          other.update { otherState in
            change.make(at: publisher)
            return otherState
          }
          return state
        }
      }
      #expect(message(result).contains("on balance changes the same publisher"))
    }

    @Test("through an immediate subscriber of another publisher")
    func required_1_01_throughSubscriber() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let (publisher, other) = (Publisher<Int>(label: "balance"), Publisher<Int>(label: "other"))
        publisher.update { state in
          other.subscribe(publisher, on: .immediate) { publisher, _ in publisher.updateData(1) }
          return state
        }
      }
      #expect(message(result).contains("on balance changes the same publisher"))
    }

    @Test("from the == of updateData(ifChanged:)", arguments: [Change.startLoading, .updateDataIfChanged])
    func required_1_01_fromEquality(change: Change) async {
      struct Meddler: Equatable, Sendable {
        let change: Change
        let publisher: Publisher<Meddler>

        static func == (left: Meddler, right: Meddler) -> Bool {
          if left.change == .startLoading {
            left.publisher.startLoading()
          } else {
            left.publisher.updateData(ifChanged: right)
          }
          return false
        }
      }
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [change] in
        let publisher = Publisher<Meddler>(label: "balance")
        publisher.updateData(Meddler(change: change, publisher: publisher))
        publisher.updateData(ifChanged: Meddler(change: change, publisher: publisher))
      }
      #expect(message(result).contains("on balance changes the same publisher"))
    }
  }
}
