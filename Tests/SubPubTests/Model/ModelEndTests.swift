import SubPub
import Testing

extension ModelTests {
  @Suite("Ends: of publishers, subscriptions and waits")
  struct Ends {
    @Test("the publisher's end, with a cancel and a release") func model_3_06_publisher() async {
      await hold {
        Model.Setup(
          plans: [.init(object: 0, delivery: .model), .init(object: 1, delivery: .model)],
          threads: [
            ("publisher 1", [.publish, .publish, .leave]), ("publisher 2", [.publish, .publish, .leave]),
            ("canceller", [.cancel(0)]), ("owner", [.drop(1)]),
          ])
      }
    }

    @Test("the publisher's end, on the publishing thread and a pool") func model_3_06_immediateAndPool() async {
      await hold {
        Model.Setup(
          plans: [.init(object: 0, delivery: .immediate), .init(object: 1, delivery: .background)],
          threads: [
            ("publisher 1", [.publish, .publish, .leave]), ("publisher 2", [.publish, .publish, .leave]),
            ("canceller", [.cancel(0)]),
          ])
      }
    }

    @Test("a sequence gives the last state of a publisher that ends") func model_6_03_sequence() async {
      await hold {
        Model.Setup(
          plans: [.init(object: 0, delivery: .iteration), .init(object: 1, delivery: .model)],
          threads: [
            ("publisher 1", [.publish, .publish, .leave]), ("publisher 2", [.publish, .publish, .leave]),
            ("reader", [.read(0)]), ("owner", [.drop(1)]),
          ])
      }
    }

    @Test("drain() returns when everyone is served, or has gone") func model_3_07_drain() async {
      await hold {
        Model.Setup(
          plans: [.init(object: 0, delivery: .model), .init(object: 1, delivery: .model)],
          threads: threads(("waiter", [.drain]), ("canceller", [.cancel(0)]), ("owner", [.drop(1)])))
      }
    }

    @Test("a cancel lets drain() return though the queue is suspended") func model_3_07_suspended() async {
      await hold {
        var setup = Model.Setup(
          plans: [.init(object: 0, delivery: .otherModel), .init(object: 1, delivery: .model)],
          threads: threads(("waiter", [.drain]), ("canceller", [.cancel(0)])))
        setup.suspended = .otherModel
        return setup
      }
    }

    @Test("drain() waits for every lane") func model_3_07_drainLanes() async {
      await hold {
        Model.Setup(
          plans: [.init(object: 0, delivery: .model), .init(object: 1, delivery: .otherModel)],
          threads: threads(("waiter", [.drain])))
      }
    }

    @Test("drain() with a shared lane and a bound, handed back after each visit") func model_3_07_drainHandBack() async
    {
      await hold {
        Model.Setup(
          plans: [.init(object: 0, delivery: .model), .init(object: 1, delivery: .model, buffering: .latest)],
          threads: threads(("waiter", [.drain]), ("canceller", [.cancel(0)])), budget: 1)
      }
    }

    @Test("drain() with the publishing thread and an iterator") func model_3_07_drainImmediate() async {
      await hold {
        Model.Setup(
          plans: [.init(object: 0, delivery: .immediate), .init(object: 1, delivery: .iteration)],
          threads: threads(("waiter", [.drain]), ("canceller", [.cancel(0)]), ("reader", [.read(1)])))
      }
    }

    @Test("cancelAndWait() returns after the delivery, whoever cancelled") func model_3_04_cancelAndWait() async {
      await hold {
        Model.Setup(
          plans: [.init(object: 0, delivery: .model), .init(object: 1, delivery: .model)],
          threads: threads(("waiter", [.cancelAndWait(0)]), ("canceller", [.cancel(0)]), ("owner", [.drop(1)])))
      }
    }

    /// The subscriber that is not waited for blocks until the wait is over.
    static func slowNeighbour() -> Model.Setup {
      Model.Setup(
        plans: [
          .init(object: 0, delivery: .model), .init(object: 1, delivery: .model, script: [3: [.block(until: 2)]]),
        ],
        threads: threads(("waiter", [.cancelAndWait(0)]), ("canceller", [.cancel(0)])))
    }

    @Test("cancelAndWait() isn't held up by another subscriber of the lane") func model_3_04_slowNeighbour() async {
      await hold { Self.slowNeighbour() }
    }

    @Test("the same on the publishing thread and in another lane") func model_3_04_cancelAndWaitLanes() async {
      await hold {
        Model.Setup(
          plans: [.init(object: 0, delivery: .immediate), .init(object: 1, delivery: .model)],
          threads: threads(("waiter", [.cancelAndWait(0)]), ("other waiter", [.cancelAndWait(1)])))
      }
    }

    @Test("a count ends the dead, whatever else goes on") func model_2_05_count() async {
      await hold {
        Model.Setup(
          plans: [.init(object: 0, delivery: .model), .init(object: 1, delivery: .model)],
          threads: threads(("canceller", [.cancel(0)]), ("owner", [.drop(1)]), ("counter", [.sweep])))
      }
    }
  }
}
