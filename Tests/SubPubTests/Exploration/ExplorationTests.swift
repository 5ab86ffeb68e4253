import Foundation
import SubPub
import Testing

// Debug builds only: the library's scheduling points are empty in release builds.
#if DEBUG
  /// Each test runs every interleaving of a few clients in which they are interrupted at most `bound` times.
  ///
  /// Without an interruption that takes a second, with one four minutes (`.ci/explore`), and with two hours.
  /// An exploration keeps one processor busy, so each suite runs one at a time.
  @Suite("The engine keeps the contract in every interleaving", .timeLimit(.minutes(240)))
  enum ExplorationTests {
    /// How often a strand may be interrupted: `EXPLORE_BOUND`, or never.
    static let bound = ProcessInfo.processInfo.environment["EXPLORE_BOUND"].flatMap(Int.init) ?? 0

    static func hold(
      _ name: String = #function, bound: Int = Self.bound, at location: SourceLocation = #_sourceLocation,
      _ setUp: @escaping @Sendable (Simulation) -> Void
    ) async {
      let (summary, failure) = await Exploration.explore(bound: bound, setUp)
      print("\(name), at most \(bound) interruptions: \(summary)")
      if let failure { Issue.record("\(failure)", sourceLocation: location) }
    }

    enum Lane: String, CaseIterable, Codable, Sendable {
      case immediate, queue

      func context(_ simulation: Simulation) -> Context {
        self == .immediate ? simulation.immediate : simulation.serialQueue()
      }
    }

    /// For each kind of lane, one subscription is cancelled, and the subscriber of another is released.
    @Suite("Every kind of lane, with a cancel and a release", .serialized)
    struct Lanes {
      private static func hold(
        _ first: BufferingPolicy = .unbounded, _ second: BufferingPolicy = .unbounded,
        name: String = #function, at location: SourceLocation = #_sourceLocation,
        on contexts: @escaping @Sendable (Simulation) -> (Context, Context)
      ) async {
        await ExplorationTests.hold(name, at: location) { simulation in
          let contexts = contexts(simulation)
          simulation.subscribe("cancelled", on: contexts.0, first)
          simulation.subscribe("released", on: contexts.1, second)
          simulation.clients(2, .update(2))
          simulation.client(.cancel("cancelled"))
          simulation.client(.release("released"))
        }
      }

      private static func shared(_ simulation: Simulation) -> (Context, Context) {
        let context = simulation.serialQueue()
        return (context, context)
      }

      @Test("the publishing thread") func model_2_03_immediate() async {
        await Self.hold { ($0.immediate, $0.immediate) }
      }

      @Test("a queue that both share") func model_2_07_3_02_shared() async { await Self.hold(on: Self.shared) }

      @Test("the publishing thread and a queue") func model_1_03_immediateAndQueue() async {
        await Self.hold { ($0.immediate, $0.serialQueue()) }
      }

      @Test(
        "one lane with a bound, and two lanes on one queue",
        arguments: [(.latest, .latest), (.newest(2), .newest(2)), (.unbounded, .latest)]
          as [(BufferingPolicy, BufferingPolicy)])
      func model_2_04_bounded(_ first: BufferingPolicy, _ second: BufferingPolicy) async {
        await Self.hold(first, second, name: "model_2_04_bounded, \(first) and \(second)", on: Self.shared)
      }

      @Test(
        "a lane that hands back after each delivery, without and with bounds",
        arguments: [(.unbounded, .unbounded), (.newest(2), .newest(2)), (.latest, .latest)]
          as [(BufferingPolicy, BufferingPolicy)])
      func model_2_02_3_05_handBack(_ first: BufferingPolicy, _ second: BufferingPolicy) async {
        await Self.hold(
          first, second, name: "model_2_02_3_05_handBack, \(first) and \(second)",
          on: {
            // A queue on which a lane hands back after each delivery.
            let context = $0.serial($0.makeQueue(.serial, deliveriesAtATime: 1))
            return (context, context)
          })
      }

      /// Small enough to be interrupted more often.
      @Test("one subscription that is cancelled, interrupted twice", arguments: Lane.allCases)
      func model_3_02_cancel(_ lane: Lane) async {
        await ExplorationTests.hold("model_3_02_cancel, \(lane)", bound: max(2, bound)) { simulation in
          simulation.subscribe("cancelled", on: lane.context(simulation))
          simulation.client(.update(2))
          simulation.client(.cancel("cancelled"))
        }
      }

      @Test("a lane for each subscription") func model_1_02_own() async {
        await ExplorationTests.hold { simulation in
          let context = simulation.concurrentQueue(independent: true)
          simulation.subscribe("cancelled", on: context)
          simulation.subscribe(on: context)
          simulation.clients(2, .update())
          simulation.client(.cancel("cancelled"))
        }
      }

      @Test("an actor that dies, and a queue") func model_2_05_actor() async {
        await ExplorationTests.hold { simulation in
          let (shortLived, queue) = (simulation.actor(), simulation.serialQueue())
          simulation.subscribe(on: shortLived)
          simulation.subscribe("cancelled", on: queue)
          simulation.client(.update(2))
          simulation.client(.cancel("cancelled"))
          simulation.client(.release(shortLived))
        }
      }

      @Test("an actor that dies while two clients publish") func model_2_05_publishingClients() async {
        await ExplorationTests.hold { simulation in
          let shortLived = simulation.actor()
          simulation.subscribe(on: shortLived)
          simulation.clients(2, .update())
          simulation.client(.release(shortLived))
        }
      }
    }
  }
#endif
