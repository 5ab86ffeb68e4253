import SubPub
import Testing

#if DEBUG
  extension ExplorationTests {
    /// What subscribers do inside their callbacks, and subscriptions that come later.
    @Suite("Newcomers, and calls inside a callback")
    struct Callbacks {
      enum Place: String, CaseIterable, Codable, Sendable {
        case immediate, queue

        func context(_ simulation: Simulation) -> Context {
          switch self {
          case .immediate: simulation.immediate
          case .queue: simulation.serialQueue()
          }
        }
      }

      /// Does it in the first delivery of that number.
      private static func once(
        at delivery: Int, _ body: @escaping (Simulation) -> Void
      ) -> (Simulation) -> Void {
        var count = 0
        return {
          count += 1
          if count == delivery { body($0) }
        }
      }

      @Test("a newcomer gets the current state and all that follow", arguments: Place.allCases)
      func model_2_01_newcomer(_ place: Place) async {
        await hold("model_2_01_newcomer, \(place)") { simulation in
          let context = place.context(simulation)
          let cancelled = simulation.subscribe(on: context)
          simulation.publishTwiceTwice()
          simulation.client { $0.subscribe(on: context) }
          simulation.client { $0.cancel(cancelled) }
        }
      }

      @Test("a publish inside a callback comes to everyone after the current state", arguments: Place.allCases)
      func model_4_01_publish(_ place: Place) async {
        await hold("model_4_01_publish, \(place)") { simulation in
          let context = place.context(simulation)
          simulation.subscribe(on: context, reaction: Self.once(at: 2) { $0.updateData() })
          let released = simulation.subscribe(on: context)
          simulation.clients(2) { $0.updateData() }
          simulation.client { $0.letGo(released) }
        }
      }

      @Test("a subscribe inside a callback replays once", arguments: Place.allCases)
      func model_4_02_subscribe(_ place: Place) async {
        await hold("model_4_02_subscribe, \(place)") { simulation in
          let context = place.context(simulation)
          let first = simulation.subscribe(on: context, reaction: Self.once(at: 2) { $0.subscribe(on: context) })
          simulation.publishTwiceTwice()
          simulation.client { $0.cancel(first) }
        }
      }

      @Test("a cancel inside a callback holds in the same round", arguments: Place.allCases)
      func model_4_03_cancel(_ place: Place) async {
        await hold("model_4_03_cancel, \(place)") { simulation in
          let context = place.context(simulation)
          var second: SimulatedSubscription?
          simulation.subscribe(on: context, reaction: Self.once(at: 2) { $0.cancel(second) })
          second = simulation.subscribe(on: context)
          simulation.publishTwiceTwice()
          simulation.client { $0.cancel(second) }
        }
      }

      @Test("a subscriber cancels itself", arguments: Place.allCases)
      func model_3_03_cancelItself(_ place: Place) async {
        await hold("model_3_03_cancelItself, \(place)") { simulation in
          let context = place.context(simulation)
          var first: SimulatedSubscription?
          first = simulation.subscribe(on: context, reaction: Self.once(at: 2) { $0.cancel(first) })
          let released = simulation.subscribe(on: context)
          simulation.publishTwiceTwice()
          simulation.client { $0.letGo(released) }
        }
      }

      @Test(
        "a replaced subscription never overlaps its successor",
        arguments: [(Place.queue, Place.queue), (.immediate, .queue), (.queue, .immediate)])
      func model_2_06_replaced(_ old: Place, _ new: Place) async {
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
