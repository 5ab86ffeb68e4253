import SubPub
import Testing

#if DEBUG
  extension ExplorationTests {
    /// Calls of subscribers inside their callbacks, and subscriptions that are made later.
    @Suite("New subscribers, and calls inside a callback", .serialized)
    struct Callbacks {
      /// Explores two clients that publish beside the others, on one context.
      private static func hold(
        _ name: String, _ lane: Lane, publishing count: Int = 2, at location: SourceLocation = #_sourceLocation,
        _ setUp: @escaping @Sendable (Simulation, Context) -> Void, and clients: @escaping @Sendable (Context) -> [Step]
      ) async {
        await ExplorationTests.hold("\(name), \(lane)", at: location) { simulation in
          let context = lane.context(simulation)
          setUp(simulation, context)
          simulation.clients(2, .update(count))
          for step in clients(context) { simulation.client(step) }
        }
      }

      @Test("a new subscriber gets the current state and all later ones", arguments: Lane.allCases)
      func model_2_01_newcomer(_ lane: Lane) async {
        await Self.hold("model_2_01_newcomer", lane) {
          $0.subscribe("cancelled", on: $1)
        } and: {
          [.subscribe(on: $0), .cancel("cancelled")]
        }
      }

      @Test("a publish inside a callback is delivered to all after the current state", arguments: Lane.allCases)
      func model_4_01_publish(_ lane: Lane) async {
        await Self.hold("model_4_01_publish", lane, publishing: 1) {
          $0.subscribe(on: $1, reaction: .once(inDelivery: 2, .update()))
          $0.subscribe("released", on: $1)
        } and: { _ in
          [.release("released")]
        }
      }

      @Test("a subscribe inside a callback replays once", arguments: Lane.allCases)
      func model_4_02_subscribe(_ lane: Lane) async {
        await Self.hold("model_4_02_subscribe", lane) { simulation, context in
          simulation.subscribe("first", on: context, reaction: .once(inDelivery: 2, .subscribe(on: context)))
        } and: { _ in
          [.cancel("first")]
        }
      }

      @Test("a cancel inside a callback takes effect in the same round", arguments: Lane.allCases)
      func model_4_03_cancel(_ lane: Lane) async {
        await Self.hold("model_4_03_cancel", lane) {
          $0.subscribe(on: $1, reaction: .once(inDelivery: 2, .cancel("second")))
          $0.subscribe("second", on: $1)
        } and: { _ in
          [.cancel("second")]
        }
      }

      @Test("a subscriber cancels itself", arguments: Lane.allCases)
      func model_3_03_cancelItself(_ lane: Lane) async {
        await Self.hold("model_3_03_cancelItself", lane) {
          $0.subscribe("first", on: $1, reaction: .once(inDelivery: 2, .cancel("first")))
          $0.subscribe("released", on: $1)
        } and: { _ in
          [.release("released")]
        }
      }

      @Test(
        "a replaced subscription never overlaps its successor",
        arguments: [(Lane.queue, Lane.queue), (.immediate, .queue), (.queue, .immediate)])
      func model_2_06_replaced(_ old: Lane, _ new: Lane) async {
        await ExplorationTests.hold("model_2_06_replaced, \(old) by \(new)") { simulation in
          let contexts = (old.context(simulation), new.context(simulation))
          simulation.subscribe("first", on: contexts.0)
          simulation.subscribe(on: contexts.1)
          simulation.clients(2, .update())
          simulation.client(.subscribe("second", on: contexts.1, replacing: "first"), .cancel("second"))
        }
      }
    }
  }
#endif
