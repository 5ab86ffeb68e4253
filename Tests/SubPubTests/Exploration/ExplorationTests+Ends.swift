import SubPub
import Testing

#if DEBUG
  extension ExplorationTests {
    @Suite("The ends of publishers, subscriptions and waits", .serialized)
    struct Ends {
      /// Two subscriptions on a queue.
      private static func subscribeTwice(_ simulation: Simulation) {
        let queue = simulation.serialQueue()
        simulation.subscribe("cancelled", on: queue)
        simulation.subscribe("released", on: queue)
      }

      @Test("the publisher's end with a cancel", arguments: Lane.allCases)
      func model_3_06_publisher(_ lane: Lane) async {
        await hold("model_3_06_publisher, \(lane)") { simulation in
          let queue = simulation.serialQueue()
          simulation.subscribe("cancelled", on: lane == .immediate ? simulation.immediate : queue)
          simulation.subscribe(on: queue)
          simulation.client(.update(2), .releasePublisher)
          simulation.client(.update())
          simulation.client(.cancel("cancelled"))
        }
      }

      @Test("a publisher that finishes, with a cancel", arguments: Lane.allCases)
      func model_3_09_finish(_ lane: Lane) async {
        await hold("model_3_09_finish, \(lane)") { simulation in
          let queue = simulation.serialQueue()
          simulation.subscribe("cancelled", on: lane == .immediate ? simulation.immediate : queue)
          simulation.subscribe(on: queue)
          simulation.client(.change(2), .finish)
          simulation.client(.change())
          simulation.client(.cancel("cancelled"))
        }
      }

      @Test("whoever comes while a publisher finishes gets the last state") func model_3_09_newcomer() async {
        await hold { simulation in
          let queue = simulation.serialQueue()
          simulation.subscribe(on: queue)
          simulation.client(.change(), .finish)
          simulation.client(.subscribe(on: queue))
          simulation.client(.iterate())
        }
      }

      @Test("laggards end, and skip nothing before that; two interruptions for a few states")
      func model_2_11_2_01_noGap() async {
        await hold(bound: max(2, bound)) {
          // Because of the second one, the lane takes all that is pending, and so three states at once.
          let queue = $0.serialQueue()
          $0.subscribe(on: queue, .ending(3))
          $0.subscribe(on: queue)
          $0.client(.update(3))
          $0.client(.update(2))
        }
      }

      @Test(
        "a laggard beside others: without a bound, with a bound, and one that is cancelled",
        arguments: [.unbounded, .latest, .ending(2)] as [BufferingPolicy])
      func model_2_11_shared(_ policy: BufferingPolicy) async {
        await hold("model_2_11_shared, \(policy)") {
          let queue = $0.serialQueue()
          $0.subscribe("released", on: queue, .ending(1))
          $0.subscribe("cancelled", on: queue, policy)
          $0.clients(2, .update(2))
          $0.client(.cancel("cancelled"))
          $0.client(.release("released"))
        }
      }

      @Test("an iterator that falls behind") func model_2_11_sequence() async {
        await hold {
          $0.iterate("", .ending(1))
          $0.clients(2, .update(2))
        }
      }

      @Test("a sequence gives the last state of a publisher that ends") func model_6_03_sequence() async {
        await hold {
          $0.iterate("", .unbounded)
          $0.client(.update(2), .releasePublisher)
          $0.client(.update())
        }
      }

      @Test("an iterator that is cancelled while states are published") func model_6_02_leaving() async {
        await hold {
          $0.iterate("iterating", .unbounded)
          $0.clients(2, .update())
          $0.client(.endIterating("iterating"))
        }
      }

      @Test("drain() returns when all subscriptions are served, or have ended") func model_3_07_drain() async {
        await hold {
          Self.subscribeTwice($0)
          $0.clients(2, .update())
          $0.client(.drain, .cancel("cancelled"))
          $0.client(.release("released"))
        }
      }

      @Test("drain() waits for every lane") func model_3_07_drainLanes() async {
        await hold {
          $0.subscribe(on: $0.serialQueue())
          $0.subscribe(on: $0.immediate)
          $0.clients(2, .update())
          $0.client(.drain)
        }
      }

      @Test("cancelAndWait() returns after the delivery, even if another cancel came first")
      func model_3_04_cancelAndWait() async {
        await hold {
          Self.subscribeTwice($0)
          $0.clients(2, .update())
          $0.client(.cancelAndWait("cancelled"))
          $0.client(.cancel("cancelled"))
        }
      }

      @Test("the numbers of subscriptions end with the right one; one interruption, or more")
      func model_2_05_counts() async {
        await hold(bound: max(1, bound)) {
          $0.followCounts()
          Self.subscribeTwice($0)
          $0.client(.cancel("cancelled"))
          $0.client(.subscribe(on: $0.immediate))
        }
      }

      @Test("a count ends dead subscriptions, whatever else happens") func model_2_05_count() async {
        await hold {
          Self.subscribeTwice($0)
          for step in [Step.update(), .cancel("cancelled"), .release("released"), .count] { $0.client(step) }
        }
      }
    }
  }
#endif
