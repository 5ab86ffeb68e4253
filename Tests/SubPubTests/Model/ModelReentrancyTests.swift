import SubPub
import Testing

extension ModelTests {
  /// What subscribers do from inside their code, and who comes later.
  @Suite("Newcomers, and calls from inside a callback")
  struct Reentrancy {
    /// The deliveries that shared lanes can have.
    static let contexts = [Delivery.immediate, .model]

    @Test("a newcomer gets the current state and all that follows", arguments: contexts)
    func model_2_01_newcomer(_ delivery: Delivery) async {
      await hold("model_2_01_newcomer, \(delivery)") {
        Model.Setup(
          plans: [
            .init(object: 0, delivery: delivery), .init(object: 1, delivery: delivery, isPresent: false),
          ],
          threads: threads(("newcomer", [.subscribe(1)]), ("canceller", [.cancel(0)])))
      }
    }

    @Test("a newcomer with a bound, in a lane that hands back") func model_2_01_newcomerHandBack() async {
      await hold {
        Model.Setup(
          plans: [
            .init(object: 0, delivery: .model),
            .init(object: 1, delivery: .model, buffering: .latest, isPresent: false),
          ],
          threads: threads(("newcomer", [.subscribe(1)]), ("owner", [.drop(0)])), budget: 1)
      }
    }

    @Test("a publish inside a callback comes to everyone after the current state", arguments: contexts)
    func model_4_01_publish(_ delivery: Delivery) async {
      await hold("model_4_01_publish, \(delivery)") {
        Model.Setup(
          plans: [
            .init(object: 0, delivery: delivery, script: [2: [.publish]]), .init(object: 1, delivery: delivery),
          ],
          threads: [
            ("publisher 1", [.publish, .publish]), ("publisher 2", [.publish]), ("canceller", [.cancel(0)]),
            ("owner", [.drop(1)]),
          ])
      }
    }

    @Test("a subscribe inside a callback replays once", arguments: contexts)
    func model_4_02_subscribe(_ delivery: Delivery) async {
      await hold("model_4_02_subscribe, \(delivery)") {
        Model.Setup(
          plans: [
            .init(object: 0, delivery: delivery, script: [3: [.subscribe(1)]]),
            .init(object: 1, delivery: delivery, isPresent: false),
          ],
          threads: threads(("canceller", [.cancel(0)])))
      }
    }

    @Test("a cancel inside a callback holds in the same round", arguments: contexts)
    func model_4_03_cancel(_ delivery: Delivery) async {
      await hold("model_4_03_cancel, \(delivery)") {
        Model.Setup(
          plans: [
            .init(object: 0, delivery: delivery, script: [3: [.cancel(1)]]), .init(object: 1, delivery: delivery),
          ],
          threads: threads(("canceller", [.cancel(1)]), ("owner", [.drop(0)])))
      }
    }

    @Test("a subscriber cancels itself", arguments: contexts)
    func model_3_03_cancelItself(_ delivery: Delivery) async {
      await hold("model_3_03_cancelItself, \(delivery)") {
        Model.Setup(
          plans: [
            .init(object: 0, delivery: delivery, script: [3: [.cancelAndWait(0)]]),
            .init(object: 1, delivery: delivery),
          ],
          threads: threads(("canceller", [.cancel(0)]), ("owner", [.drop(1)])))
      }
    }

    @Test("a replaced subscription never overlaps its successor") func model_2_06_queueToQueue() async {
      await replace(.model, .otherModel)
    }

    @Test("nor from the publishing thread to a queue") func model_2_06_immediateToQueue() async {
      await replace(.immediate, .model)
    }

    @Test("nor from a queue to the publishing thread") func model_2_06_queueToImmediate() async {
      await replace(.model, .immediate)
    }

    private func replace(_ old: Delivery, _ new: Delivery) async {
      await hold("model_2_06_replace, \(old) to \(new)") {
        Model.Setup(
          plans: [
            .init(object: 0, delivery: old), .init(object: 1, delivery: new),
            .init(object: 0, delivery: new, ifDuplicate: .replace, isPresent: false),
          ],
          threads: threads(("replacer", [.subscribe(2), .cancel(2)]), ("owner", [.drop(1)])))
      }
    }
  }
}
