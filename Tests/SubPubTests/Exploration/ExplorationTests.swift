import Foundation
import SubPub
import Testing

// Debug builds only: the library's scheduling points are empty in release builds.
#if DEBUG
  /// Each test runs every interleaving of a few clients in which they are interrupted at most `bound` times.
  ///
  /// Without an interruption that takes a second, with one a minute, and with two hours. `.ci/test` allows one.
  /// An exploration keeps one processor busy, so each suite runs one at a time.
  @Suite("The engine keeps the contract in every interleaving", .timeLimit(.minutes(240)))
  enum ExplorationTests {
    /// How often a strand may be interrupted: `EXPLORE_BOUND`, or never.
    static let bound = ProcessInfo.processInfo.environment["EXPLORE_BOUND"].flatMap(Int.init) ?? 0

    static func hold(
      _ name: String = #function, bound: Int = Self.bound, at location: SourceLocation = #_sourceLocation,
      _ setUp: @escaping @Sendable (Simulation) -> Void
    ) async {
      let result = await Explorer.explore(bound: bound, setUp)
      print("\(name), at most \(bound) interruptions: \(result)")
      if let failure = result.failure { Issue.record("\(failure)", sourceLocation: location) }
    }
  }

  extension Simulation {
    /// Adds two clients that publish twice each.
    func publishTwiceTwice() {
      clients(2) {
        $0.updateData()
        $0.updateData()
      }
    }
  }

  extension ExplorationTests {
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
          let cancelled = simulation.subscribe(on: contexts.0, first)
          let released = simulation.subscribe(on: contexts.1, second)
          simulation.publishTwiceTwice()
          simulation.client { $0.cancel(cancelled) }
          simulation.client { $0.release(released) }
        }
      }

      private static func shared(_ simulation: Simulation) -> (Context, Context) {
        let context = simulation.serialQueue()
        return (context, context)
      }

      /// A queue on which a lane hands back after each delivery.
      private static func handsBack(_ simulation: Simulation) -> (Context, Context) {
        let context = simulation.serial(simulation.makeQueue(.serial, deliveriesAtATime: 1))
        return (context, context)
      }

      @Test("the publishing thread") func model_2_03_immediate() async {
        await Self.hold { ($0.immediate, $0.immediate) }
      }

      @Test("a queue that both share") func model_2_07_3_02_shared() async { await Self.hold(on: Self.shared) }

      /// Small enough to be interrupted more often.
      @Test("one subscription that is cancelled, interrupted twice", arguments: [false, true])
      func model_3_02_cancel(isImmediate: Bool) async {
        await ExplorationTests.hold("model_3_02_cancel, immediate: \(isImmediate)", bound: max(2, bound)) {
          simulation in
          let cancelled = simulation.subscribe(on: isImmediate ? simulation.immediate : simulation.serialQueue())
          simulation.client {
            $0.updateData()
            $0.updateData()
          }
          simulation.client { $0.cancel(cancelled) }
        }
      }

      @Test("a lane for each subscription") func model_1_02_own() async {
        await ExplorationTests.hold { simulation in
          let context = simulation.concurrentQueue(independent: true)
          let cancelled = simulation.subscribe(on: context)
          simulation.subscribe(on: context)
          simulation.clients(2) { $0.updateData() }
          simulation.client { $0.cancel(cancelled) }
        }
      }

      @Test("the publishing thread and a queue") func model_1_03_immediateAndQueue() async {
        await Self.hold { ($0.immediate, $0.serialQueue()) }
      }

      @Test("one lane, whose bounded subscription stays") func model_2_04_boundedStays() async {
        await Self.hold(.unbounded, .latest, on: Self.shared)
      }

      @Test("one lane, whose bounded subscription is cancelled") func model_2_04_boundedGoes() async {
        await Self.hold(.latest, .unbounded, on: Self.shared)
      }

      @Test("one lane with two bounds") func model_2_04_twoBounds() async {
        await Self.hold(.newest(2), .latest, on: Self.shared)
      }

      @Test("a lane that hands back after each delivery") func model_2_02_handBack() async {
        await Self.hold(on: Self.handsBack)
      }

      @Test("the same with bounds") func model_3_05_handBackWithBounds() async {
        await Self.hold(.newest(2), .latest, on: Self.handsBack)
      }

      @Test("an actor that dies, and a queue") func model_2_05_actor() async {
        await ExplorationTests.hold { simulation in
          let (shortLived, queue) = (simulation.actor(), simulation.serialQueue())
          simulation.subscribe(on: shortLived)
          let cancelled = simulation.subscribe(on: queue)
          simulation.clients(2) { $0.updateData() }
          simulation.client { $0.cancel(cancelled) }
          simulation.client { $0.release(shortLived) }
        }
      }
    }
  }
#endif
