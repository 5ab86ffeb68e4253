import Dispatch
import SubPub
import Testing

extension ClientTests {
  @Suite("Contexts: a subscription names where it is delivered")
  struct ContextTests {
    /// An actor whose executor is a `QueueExecutor`.
    actor Housekeeper {
      nonisolated let executor = QueueExecutor(label: "housekeeping")
      nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }
      private(set) var states: [LoadState<Int>] = []

      func add(_ state: LoadState<Int>) {
        Here.assertQueue(executor.queue)
        states.append(state)
      }
    }

    let queue = DispatchQueue(label: "orders")

    /// Expects a subscription's deliveries in order, where `assertPlace` runs without stopping.
    @concurrent private nonisolated func expectDeliveries(
      on context: DeliveryContext, _ assertPlace: @escaping @Sendable () -> Void
    ) async {
      let (publisher, listener) = (Publisher<Int>(), Listener())
      publisher.subscribe(listener, on: context) { listener, state in
        assertPlace()
        listener.note(state)
      }
      publishThree(publisher)
      if context == .immediate { #expect(listener.journal.entries == threeStates, "before the publish returns") }
      await publisher.drain()
      #expect(listener.journal.entries == threeStates, "\(context)")
    }

    @Test("deliveries run where the context says, in order")
    func places() async {
      await expectDeliveries(on: .immediate) {}
      await expectDeliveries(on: .main) { Here.assertMainActor() }
      await expectDeliveries(on: .background) { Here.assertBackground() }
      await expectDeliveries(on: .queue(queue)) { [queue] in Here.assertQueue(queue) }
      await expectDeliveries(on: .executor(QueueExecutor(queue))) { [queue] in Here.assertQueue(queue) }
      let pool = DispatchQueue(label: "pool", attributes: .concurrent)
      await expectDeliveries(on: .queue(pool, independent: true)) { Here.assertQueue(pool) }
      let (tally, housekeeper) = (Tally(), Housekeeper())
      await expectDeliveries(on: .actor(tally)) { [weak tally] in tally?.preconditionIsolated() }
      await expectDeliveries(on: .actor(housekeeper)) { [weak housekeeper, queue = housekeeper.executor.queue] in
        housekeeper?.preconditionIsolated()
        Here.assertQueue(queue)
      }
      withExtendedLifetime((tally, housekeeper)) {}
    }

    @Test("a queue executor runs tasks and actors, in order on a queue that it makes")
    func queueExecutors() async {
      let executor = QueueExecutor(queue)
      #expect(executor.queue === queue)
      #expect(executor.description == "QueueExecutor(orders)")
      #expect(executor.isIsolatingCurrentContext() != true)
      await Task(executorPreference: executor) { [queue] in
        Here.assertQueue(queue)
        executor.checkIsolated()
        #expect(executor.isIsolatingCurrentContext() == true)
      }.value
      let (own, journal) = (QueueExecutor(label: "own"), Journal<Int>())
      await withTaskGroup { group in
        for number in 1...100 { group.addTask(executorPreference: own) { journal.add(number) } }
      }
      #expect(journal.entries == Array(1...100))
    }
  }
}
