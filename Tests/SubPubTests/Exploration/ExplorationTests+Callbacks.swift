import SubPub
import Testing

#if DEBUG
  extension ExplorationTests {
    /// Calls of subscribers inside their callbacks, and subscriptions that are made later.
    @Suite("New subscribers, and calls inside a callback", .serialized)
    struct Callbacks {
      enum Lane: String, CaseIterable, Codable, Sendable {
        case immediate, queue

        func context(_ simulation: Simulation) -> Context {
          switch self {
          case .immediate: simulation.immediate
          case .queue: simulation.serialQueue()
          }
        }
      }

      /// Runs the body in the delivery with that number, counted from 1.
      private static func once(
        at delivery: Int, _ body: @escaping (Simulation) -> Void
      ) -> (Simulation) -> Void {
        var count = 0
        return {
          count += 1
          if count == delivery { body($0) }
        }
      }

      @Test("a new subscriber gets the current state and all later ones", arguments: Lane.allCases)
      func model_2_01_newcomer(_ lane: Lane) async {
        await hold("model_2_01_newcomer, \(lane)") { simulation in
          let context = lane.context(simulation)
          let cancelled = simulation.subscribe(on: context)
          simulation.publishTwiceTwice()
          simulation.client { $0.subscribe(on: context) }
          simulation.client { $0.cancel(cancelled) }
        }
      }

      @Test("a publish inside a callback is delivered to all after the current state", arguments: Lane.allCases)
      func model_4_01_publish(_ lane: Lane) async {
        await hold("model_4_01_publish, \(lane)") { simulation in
          let context = lane.context(simulation)
          simulation.subscribe(on: context, reaction: Self.once(at: 2) { $0.updateData() })
          let released = simulation.subscribe(on: context)
          simulation.clients(2) { $0.updateData() }
          simulation.client { $0.release(released) }
        }
      }

      @Test("a subscribe inside a callback replays once", arguments: Lane.allCases)
      func model_4_02_subscribe(_ lane: Lane) async {
        await hold("model_4_02_subscribe, \(lane)") { simulation in
          let context = lane.context(simulation)
          let first = simulation.subscribe(on: context, reaction: Self.once(at: 2) { $0.subscribe(on: context) })
          simulation.publishTwiceTwice()
          simulation.client { $0.cancel(first) }
        }
      }

      @Test("a cancel inside a callback takes effect in the same round", arguments: Lane.allCases)
      func model_4_03_cancel(_ lane: Lane) async {
        await hold("model_4_03_cancel, \(lane)") { simulation in
          let context = lane.context(simulation)
          var second: SimulatedSubscription?
          simulation.subscribe(on: context, reaction: Self.once(at: 2) { $0.cancel(second) })
          second = simulation.subscribe(on: context)
          simulation.publishTwiceTwice()
          simulation.client { $0.cancel(second) }
        }
      }

      @Test("a subscriber cancels itself", arguments: Lane.allCases)
      func model_3_03_cancelItself(_ lane: Lane) async {
        await hold("model_3_03_cancelItself, \(lane)") { simulation in
          let context = lane.context(simulation)
          var first: SimulatedSubscription?
          first = simulation.subscribe(on: context, reaction: Self.once(at: 2) { $0.cancel(first) })
          let released = simulation.subscribe(on: context)
          simulation.publishTwiceTwice()
          simulation.client { $0.release(released) }
        }
      }

      @Test(
        "a replaced subscription never overlaps its successor",
        arguments: [(Lane.queue, Lane.queue), (.immediate, .queue), (.queue, .immediate)])
      func model_2_06_replaced(_ old: Lane, _ new: Lane) async {
        await hold("model_2_06_replaced, \(old) by \(new)") { simulation in
          let contexts = (old.context(simulation), new.context(simulation))
          let first = simulation.subscribe(on: contexts.0)
          simulation.subscribe(on: contexts.1)
          simulation.clients(2) { $0.updateData() }
          simulation.client { simulation in
            let second = simulation.subscribe(on: contexts.1, replacing: first)
            simulation.cancel(second)
          }
        }
      }
    }
  }
#endif
