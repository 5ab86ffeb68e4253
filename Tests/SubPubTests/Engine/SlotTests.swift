#if DEBUG
  import Dispatch
  import SubPub
  import SubPubTesting
  import Support
  import Testing

  @testable import SubPub

  @Suite("The slots of a lane")
  struct SlotTests {
    @Test("subscribers that leave in their own deliveries leave no slots behind")
    func required_3_05_slots() {
      let publisher = Publisher<Int>()
      let subscribers = (0..<1_000).map { _ in Recorder<Int>() }
      for subscriber in subscribers {
        publisher.subscribe(subscriber, on: .immediate) { [weak publisher] subscriber, state in
          if state == .loaded(1), subscriber !== subscribers.last { publisher?.unsubscribe(subscriber) }
        }
      }
      publisher.updateData(1)
      #expect(publisher.registry.turn { $0.lanes.all.map(\.inTurn.subscriptions.count) } == [1])
    }

    @Test("cancelled subscriptions are released when their slots are taken back")
    func required_3_05_objects() {
      let (publisher, subscriber) = (Publisher<Int>(), Recorder<Int>())
      let probes = (0..<40).map { _ in
        Probe(publisher.subscribe(subscriber, on: .immediate, ifDuplicate: .allow) { _, _ in })
      }
      // The first one keeps the others from being taken back from the end.
      publisher.subscribe(subscriber, on: .immediate, ifDuplicate: .allow) { _, _ in }
      for probe in probes { probe.subscription?.cancel() }
      #expect(probes.prefix(30).allSatisfy { $0.subscription == nil })
    }

    private struct Probe {
      weak var subscription: Subscription?
      init(_ subscription: Subscription) { self.subscription = subscription }
    }

    @Test("a replacement that had to wait leaves no lane behind", arguments: [DeliveryContext.immediate, .main])
    func required_3_05_2_06_lanes(context: DeliveryContext) async throws {
      let (publisher, gate, subscriber) = (Publisher<Int>(), Gate(), Recorder<Int>())
      let queue = DispatchQueue(label: "old")
      publisher.subscribe(subscriber, on: .queue(queue), ifDuplicate: .replace) { _, _ in gate.pass() }
      try await gate.waitUntilHeld()
      let successor = publisher.subscribe(subscriber, on: context, ifDuplicate: .replace) { _, _ in }
      gate.open()
      await publisher.drain()
      // The threads that have delivered may still be about to leave their lanes.
      await queue.passed()
      await MainActor.run {}
      successor.cancel()
      #expect(publisher.registry.turn { $0.lanes.all.count } == 0)
    }
  }
#endif
