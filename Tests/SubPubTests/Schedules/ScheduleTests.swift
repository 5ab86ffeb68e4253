import SubPub
import Support
import Testing

/// Real threads take turns in the library; at every scheduling point a seed decides which thread is next.
///
/// Each test is a scenario: contexts, and the steps of clients, whose choices and turns are drawn.
@Suite("The contract holds for every schedule, and the history is linearizable", .timeLimit(.minutes(240)))
struct ScheduleTests {
  /// Runs a scenario with many seeds, and a few of them again.
  static func hold(
    _ name: String, at location: SourceLocation = #_sourceLocation, _ setUp: @escaping @Sendable (Simulation) -> Void
  ) async {
    func run(_ seeds: SeedRange) async -> Report {
      await Campaign.run(name, seeds) { Simulation($0, playing: setUp) }
    }
    await run(SeedRange()).expectSuccess(at: location)
    // The same seed makes the same history, on other threads, and alone as well as among others (7.02).
    let few = SeedRange(first: 7, count: TestRounds.of(15, full: 50))
    let (first, second) = (await run(few), await run(few))
    let last = await run(SeedRange(first: few.all.upperBound - 1, count: 1)).last
    #expect(first.digest == second.digest && first.steps == second.steps, sourceLocation: location)
    #expect(first.distinct == few.count && first.last == last, sourceLocation: location)
  }

  @Test("the publishing threads deliver for each other, and callbacks publish, subscribe and cancel")
  func stochastic_1_02_2_01_2_03_2_07_3_02_4_01_4_02_immediate() async {
    await Self.hold("immediate") { simulation in
      let context = simulation.immediate
      if simulation.draw(2) == 0 { simulation.subscribe(on: context) } else { simulation.follow() }
      simulation.client(.publish(3))
      simulation.client(.publish(), .read, .maybe(.follow), .publish())
      simulation.client(
        .subscribe("first", on: context), .subscribe("second", on: context, bounded: true), .read, .cancel("first"),
        .either(.cancel("second"), .cancel("first")))
      var left = 1
      let reaction = Step {
        left -= 1
        if left == 0 { $0.publish() } else if left < -1, $0.draw(3) == 0 { $0.subscribe(on: context) }
      }
      simulation.client(.subscribe("third", on: context, reaction: reaction), .publish(), .release("third"), .count)
    }
  }

  @Test("on a serial queue, on which clients also run steps of their own")
  func stochastic_1_02_2_07_3_03_4_03_serialQueue() async {
    await Self.hold("serial queue") { simulation in
      let queue = simulation.makeQueue(.serial)
      let context = simulation.serial(queue)
      simulation.subscribe("first", on: context)
      simulation.client(.publish(4))
      simulation.client(
        .subscribe("second", on: context, bounded: true), .publish(), .submit(.cancel("first"), to: queue), .read,
        .submit(.cancel("second"), .publish(), to: queue))
      simulation.client(
        .subscribe("third", on: context, reaction: .maybe(oneIn: 4, .cancel("first"))), .publish(),
        .maybe(.release("third")), .publish())
    }
  }

  @Test("on actors, one of which dies; the subscriptions of an actor share a lane, and end with it")
  func stochastic_2_03_2_05_3_03_actor() async {
    await Self.hold("actor") { simulation in
      let (standing, shortLived) = (simulation.actor(), simulation.actor())
      simulation.subscribe("first", on: standing)
      simulation.subscribe(on: shortLived)
      simulation.client(.publish(3), .release(shortLived), .publish())
      simulation.client(
        .subscribe("second", on: standing, bounded: true, reaction: .maybe(oneIn: 3, .publish())), .publish(),
        .cancel("first"), .read, .cancel("second"))
      simulation.client(
        .subscribe(on: shortLived, bounded: true), .publish(), .subscribe(on: standing), .publish(), .count)
    }
  }

  @Test("tasks iterate, leave and are cancelled")
  func stochastic_1_02_6_01_6_02_6_03_sequences() async {
    await Self.hold("sequences") { simulation in
      // Receives every version, to compare with.
      simulation.subscribe(on: simulation.serialQueue())
      simulation.client(.publish(3))
      simulation.client(.iterate(), .publish(), .iterate("second", bounded: true), .read, .endIterating("second"))
      simulation.client(.iterate("third"), .publish(), .endIterating("third"), .publish())
    }
  }

  @Test("with every kind of lane at once: those that several threads serve, pools with a lane for each, executors")
  func stochastic_1_02_1_03_2_01_2_02_2_03_2_05_2_08_3_02_mixed() async {
    await Self.hold("mixed lanes") { simulation in
      let anywhere = simulation.anyOf([
        simulation.immediate, simulation.serialQueue(), simulation.concurrentQueue(independent: false),
        simulation.concurrentQueue(independent: true), simulation.executor(), simulation.unorderedExecutor(),
        simulation.actor(),
      ])
      simulation.subscribe("first", on: anywhere())
      simulation.client(.publish(3))
      simulation.client(
        .subscribe("second", on: anywhere(), reaction: .maybe(oneIn: 4, .publish())), .publish(), .cancel("first"),
        .read, .release("second"), .count)
      simulation.client(
        .subscribe("third", on: anywhere(), bounded: true), .iterate(bounded: true), .publish(), .cancel("third"))
    }
  }

  @Test("all clients cancel all subscriptions, outside and inside callbacks, with all outcomes")
  func stochastic_3_01_3_02_3_03_4_03_cancelStorm() async {
    await Self.hold("cancel storm") { simulation in
      let (queue, lanes) = (simulation.serialQueue(), simulation.concurrentQueue(independent: true))
      let storm = Step.maybe(Step { $0.cancel($0.members[$0.draw($0.members.count)]) })
      for context in [simulation.immediate, queue, lanes] { simulation.subscribe(on: context, reaction: storm) }
      simulation.client(.publish(), storm, .publish())
      for (name, context) in [("first", simulation.immediate), ("second", lanes)] {
        simulation.client(
          .subscribe(name, on: context, reaction: storm), storm, .publish(), .cancel(name),
          Step { $0.unsubscribe($0.members[$0.draw($0.members.count)]) })
      }
    }
  }

  @Test("one object subscribes again and again, on other lanes, and is never called twice at once")
  func stochastic_2_02_2_06_3_02_replacement() async {
    await Self.hold("replacement") { simulation in
      let anywhere = simulation.anyOf([
        simulation.immediate, simulation.serialQueue(), simulation.concurrentQueue(independent: true),
        simulation.unorderedExecutor(),
      ])
      simulation.subscribe("first", on: anywhere())
      let again = Step.subscribe(on: anywhere(), replacing: "first")
      simulation.client(.publish(3))
      for _ in 0..<2 { simulation.client(again, .publish(), again, .publish()) }
    }
  }

  @Test("the publisher is released while states are pending, which are delivered before everything ends")
  func stochastic_3_05_3_06_6_03_release() async {
    await Self.hold("release") { simulation in
      let (queue, lanes) = (simulation.serialQueue(), simulation.concurrentQueue(independent: true))
      simulation.subscribe("first", on: queue)
      simulation.subscribe(on: lanes, reaction: .maybe(oneIn: 3, .publish()))
      simulation.client(.publish(2), .releasePublisher)
      simulation.client(.iterate(), .publish(), .subscribe(on: queue, bounded: true), .cancel("first"))
      simulation.client(.subscribe(on: simulation.immediate), .publish(2))
    }
  }

  @Test("the publisher finishes while states are pending, and whoever comes later gets the last one")
  func stochastic_3_09_6_03_finish() async {
    await Self.hold("finish") { simulation in
      let (queue, lanes) = (simulation.serialQueue(), simulation.concurrentQueue(independent: true))
      simulation.subscribe("first", on: queue)
      simulation.subscribe(on: lanes, reaction: .maybe(oneIn: 3, .change()))
      simulation.client(.change(2), .finish, .change())
      simulation.client(.iterate(), .change(), .subscribe(on: queue), .cancel("first"), .read)
      simulation.client(.subscribe(on: simulation.immediate), .change(2), .maybe(.finish))
    }
  }

  @Test("slow subscribers fall behind, on every kind of lane, beside others")
  func stochastic_2_01_2_11_laggards() async {
    await Self.hold("laggards") { simulation in
      let queue = simulation.serialQueue()
      let anywhere = simulation.anyOf([
        simulation.immediate, queue, simulation.concurrentQueue(independent: true), simulation.actor(),
      ])
      let subscribe = { (name: String) in
        Step { $0.subscribe(name, on: anywhere(), .ending(1 + $0.draw(3)), reaction: .maybe(oneIn: 6, .publish())) }
      }
      simulation.subscribe(on: queue, simulation.bounded())
      simulation.client(subscribe("first"), .publish(3), .cancel("first"), .read)
      simulation.client(subscribe("second"), .publish(2), .maybe(.release("second")), .publish())
      simulation.client(Step { $0.iterate("third", .ending(1 + $0.draw(3))) }, .publish(2), .endIterating("third"))
    }
  }

  @Test("tasks wait for deliveries and for lanes")
  func stochastic_3_04_3_07_waiting() async {
    await Self.hold("waiting") { simulation in
      let anywhere = simulation.anyOf([
        simulation.immediate, simulation.serialQueue(), simulation.concurrentQueue(independent: true),
        simulation.actor(),
      ])
      simulation.subscribe("first", on: anywhere())
      simulation.client(.publish(), .drain, .publish(), .cancelAndWait("first"))
      simulation.client(
        .subscribe("second", on: anywhere(), reaction: .maybe(oneIn: 4, .drain)), .publish(), .drain,
        .cancelAndWait("second"))
      simulation.client(
        .subscribe("third", on: anywhere()), .publish(), .cancel("third"), .cancelAndWait("third"), .read)
    }
  }

  @Test("whoever follows the numbers of subscriptions is left with the right one")
  func stochastic_2_05_counts() async {
    await Self.hold("counts") { simulation in
      let anywhere = simulation.anyOf([simulation.immediate, simulation.serialQueue(), simulation.actor()])
      simulation.followCounts()
      simulation.subscribe("first", on: anywhere())
      simulation.subscribe("second", on: anywhere())
      simulation.client(.cancel("first"), .subscribe(on: anywhere()), .change())
      simulation.client(.cancel("second"), .subscribe("third", on: anywhere()), .cancel("third"), .change())
      simulation.client(.subscribe("fourth", on: anywhere()), .cancel("fourth"), .change(), .maybe(.finish))
    }
  }

  @Test("bounded buffers of slow subscribers overflow, beside others without a bound")
  func stochastic_1_03_2_01_2_04_bounds() async {
    await Self.hold("bounds") { simulation in
      let queue = simulation.serialQueue()
      let anywhere = simulation.anyOf([
        simulation.immediate, queue, simulation.concurrentQueue(independent: true), simulation.actor(),
      ])
      simulation.subscribe("first", on: anywhere(), simulation.bounded())
      for (name, context) in [("second", queue), ("third", anywhere())] {
        simulation.client(.subscribe(name, on: context, bounded: true), .publish(3), .cancel(name))
      }
      let anyBound = Step {
        $0.subscribe("fourth", on: anywhere(), $0.draw(2) == 0 ? .unbounded : $0.bounded())
      }
      simulation.client(anyBound, .publish(3), .either(.cancel("first"), .cancel("fourth")))
    }
  }
}
