import SubPub
import Testing

extension ModelTests {
  /// For each kind of lane: one subscription is cancelled, and the other's subscriber released.
  @Suite("Every kind of lane, with a cancel and a release")
  struct Lanes {
    private static func cast(_ first: Model.Plan, _ second: Model.Plan, budget: Int = .max) -> Model.Setup {
      Model.Setup(
        plans: [first, second], threads: threads(("canceller", [.cancel(0)]), ("owner", [.drop(1)])), budget: budget)
    }

    static func immediate() -> Model.Setup {
      cast(.init(object: 0, delivery: .immediate), .init(object: 1, delivery: .immediate))
    }

    static func shared() -> Model.Setup {
      cast(.init(object: 0, delivery: .model), .init(object: 1, delivery: .model))
    }

    @Test("the publishing thread") func model_2_03_immediate() async { await hold { Self.immediate() } }

    @Test("a queue that both share") func model_2_07_3_02_shared() async { await hold { Self.shared() } }

    @Test("a pool: each has a lane of its own") func model_1_02_own() async {
      await hold { Self.cast(.init(object: 0, delivery: .background), .init(object: 1, delivery: .background)) }
    }

    @Test("the publishing thread and a queue") func model_1_03_immediateAndQueue() async {
      await hold { Self.cast(.init(object: 0, delivery: .immediate), .init(object: 1, delivery: .model)) }
    }

    @Test("one lane, a bounded buffer stays") func model_2_04_boundedStays() async {
      await hold {
        Self.cast(
          .init(object: 0, delivery: .model), .init(object: 1, delivery: .model, buffering: .latest))
      }
    }

    @Test("one lane, a bounded buffer is cancelled") func model_2_04_boundedGoes() async {
      await hold {
        Self.cast(
          .init(object: 0, delivery: .model, buffering: .latest), .init(object: 1, delivery: .model))
      }
    }

    @Test("one lane, two bounds") func model_2_04_twoBounds() async {
      await hold {
        Self.cast(
          .init(object: 0, delivery: .model, buffering: .oldest(2)),
          .init(object: 1, delivery: .model, buffering: .newest(2)))
      }
    }

    @Test("a drain that hands its context back after each visit") func model_2_02_handBack() async {
      await hold { Self.cast(.init(object: 0, delivery: .model), .init(object: 1, delivery: .model), budget: 1) }
    }

    @Test("the same with bounds") func model_3_05_handBackWithBounds() async {
      await hold {
        Self.cast(
          .init(object: 0, delivery: .model, buffering: .newest(2)),
          .init(object: 1, delivery: .model, buffering: .latest), budget: 1)
      }
    }

    @Test("an iterator and a queue") func model_6_01_sequence() async {
      await hold {
        var setup = Self.cast(.init(object: 0, delivery: .iteration), .init(object: 1, delivery: .model))
        setup.threads.append(("reader", [.read(0)]))
        return setup
      }
    }

    @Test("an actor that dies, and a queue") func model_2_05_actor() async {
      await hold {
        Model.Setup(
          plans: [.init(object: 0, delivery: .model, actor: 2), .init(object: 1, delivery: .otherModel)],
          threads: threads(("canceller", [.cancel(1)]), ("owner", [.drop(2)])))
      }
    }
  }
}
