import SubPub
import Testing

#if DEBUG
  extension ExplorationTests {
    @Suite("The ends of publishers, subscriptions and waits", .serialized)
    struct Ends {
      @Test("the publisher's end with a cancel", arguments: Callbacks.Lane.allCases)
      func model_3_06_publisher(_ lane: Callbacks.Lane) async {
        await hold("model_3_06_publisher, \(lane)") { simulation in
          let queue = simulation.serialQueue()
          let cancelled = simulation.subscribe(on: lane == .immediate ? simulation.immediate : queue)
          simulation.subscribe(on: queue)
          simulation.client {
            $0.updateData()
            $0.updateData()
            $0.releasePublisher()
          }
          simulation.client { $0.updateData() }
          simulation.client { $0.cancel(cancelled) }
        }
      }

      @Test("a sequence gives the last state of a publisher that ends") func model_6_03_sequence() async {
        await hold { simulation in
          simulation.iterate()
          simulation.client {
            $0.updateData()
            $0.updateData()
            $0.releasePublisher()
          }
          simulation.client { $0.updateData() }
        }
      }

      @Test("an iterator that is cancelled while states are published") func model_6_02_leaving() async {
        await hold { simulation in
          let iterating = simulation.iterate()
          simulation.clients(2) { $0.updateData() }
          simulation.client { $0.endIterating(iterating) }
        }
      }

      @Test("drain() returns when all subscriptions are served, or have ended") func model_3_07_drain() async {
        await hold { simulation in
          let queue = simulation.serialQueue()
          let cancelled = simulation.subscribe(on: queue)
          let released = simulation.subscribe(on: queue)
          simulation.clients(2) { $0.updateData() }
          simulation.client {
            $0.drain()
            $0.cancel(cancelled)
          }
          simulation.client { $0.release(released) }
        }
      }

      @Test("drain() waits for every lane") func model_3_07_drainLanes() async {
        await hold { simulation in
          simulation.subscribe(on: simulation.serialQueue())
          simulation.subscribe(on: simulation.immediate)
          simulation.clients(2) { $0.updateData() }
          simulation.client { $0.drain() }
        }
      }

      @Test("cancelAndWait() returns after the delivery, even if another cancel came first")
      func model_3_04_cancelAndWait() async {
        await hold { simulation in
          let queue = simulation.serialQueue()
          let cancelled = simulation.subscribe(on: queue)
          simulation.subscribe(on: queue)
          simulation.clients(2) { $0.updateData() }
          simulation.client { $0.cancelAndWait(cancelled) }
          simulation.client { $0.cancel(cancelled) }
        }
      }

      @Test("a count ends dead subscriptions, whatever else happens") func model_2_05_count() async {
        await hold { simulation in
          let queue = simulation.serialQueue()
          let cancelled = simulation.subscribe(on: queue)
          let released = simulation.subscribe(on: queue)
          simulation.client { $0.updateData() }
          simulation.client { $0.cancel(cancelled) }
          simulation.client { $0.release(released) }
          simulation.client { $0.count() }
        }
      }
    }
  }
#endif
