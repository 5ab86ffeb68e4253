import Dispatch
import SubPub
import SubPubTesting
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

    let publisher = Publisher<Int>()
    let listener = Listener()
    let queue = DispatchQueue(label: "orders")

    @Test("contexts are values: equal if they are the same place, and described each in its own way")
    func values() {
      let executor = QueueExecutor(label: "e")
      let actor = Tally()
      let all: [DeliveryContext] = [
        .immediate, .main, .background, .queue(queue), .queue(queue, independent: true), .executor(executor),
        .actor(actor),
      ]
      #expect(Set(all).count == all.count)
      #expect(Set(all.map(\.description)).count == all.count)
      #expect(DeliveryContext.queue(queue) == .queue(queue))
      #expect(DeliveryContext.executor(executor) == .executor(executor))
      #expect(DeliveryContext.actor(actor) == .actor(actor))
      #expect(DeliveryContext.queue(.main) == .main)
      #expect(DeliveryContext.queue(queue) != .queue(DispatchQueue(label: "orders")))
    }

    @Test("immediate: on the publishing thread, before subscribe or the publish returns")
    func immediate() async {
      let thread = Here.thread
      publisher.subscribe(listener, on: .immediate) { listener, state in
        #expect(Here.thread == thread)
        listener.note(state)
      }
      #expect(listener.journal.entries == [.unknown])
      publishThree(publisher)
      #expect(listener.journal.entries == threeStates)

      let other = Publisher<Int>()
      let threads = Journal<UInt>()
      let subscribed = Here.thread
      other.subscribe(listener, on: .immediate) { _, _ in threads.add(Here.thread) }
      let published = await onAThread {
        other.startLoading()
        return Here.thread
      }
      #expect(threads.entries == [subscribed, published])
    }

    @Test("main: on the main actor, and never before the publish returns")
    @MainActor func main() async {
      publisher.subscribe(listener, on: .main) { listener, state in
        Here.assertMainActor()
        listener.note(state)
      }
      publishThree(publisher)
      #expect(listener.journal.entries == [])
      await publisher.drain()
      #expect(listener.journal.entries == threeStates)
    }

    @Test("background: on no queue of the program, and in no task")
    func background() async {
      publisher.subscribe(listener, on: .background) { listener, state in
        Here.assertBackground()
        listener.note(state)
      }
      publishThree(publisher)
      await publisher.drain()
      #expect(listener.journal.entries == threeStates)
    }

    @Test("queue: on the queue, in the order in which the subscribers have subscribed")
    func onAQueue() async {
      let listeners = [Listener(), Listener()]
      let visits = Journal<Int>()
      for (index, listener) in listeners.enumerated() {
        publisher.subscribe(listener, on: .queue(queue)) { [queue] listener, state in
          Here.assertQueue(queue)
          visits.add(index)
          listener.note(state)
        }
      }
      await publisher.drain()
      publishThree(publisher)
      await publisher.drain()
      for listener in listeners { #expect(listener.journal.entries == threeStates) }
      #expect(visits.entries.suffix(6) == [0, 1, 0, 1, 0, 1])
    }

    @Test("independent: a quick subscriber doesn't wait for a slow one, which gets all states one after the other")
    func onAnIndependentQueue() async throws {
      let pool = DispatchQueue(label: "pool", attributes: .concurrent)
      let (gate, quick) = (Gate(), Recorder<Int>())
      publisher.subscribe(listener, on: .queue(pool, independent: true)) { listener, state in
        gate.pass()
        Here.assertQueue(pool)
        listener.note(state)
      }
      try await gate.waitUntilHeld()
      publisher.subscribe(quick, on: .queue(pool, independent: true)) { quick, state in
        Here.assertQueue(pool)
        quick.receive(state)
      }
      publishThree(publisher)
      try await quick.wait(count: 4)
      #expect(quick.states == threeStates)
      #expect(listener.journal.entries == [])
      gate.open()
      await publisher.drain()
      #expect(listener.journal.entries == threeStates)
    }

    @Test("executor: as its jobs, when it runs them")
    func onAnExecutor() async {
      let executor = QueueExecutor(queue)
      publisher.subscribe(listener, on: .executor(executor)) { [queue] listener, state in
        Here.assertQueue(queue)
        listener.note(state)
      }
      publishThree(publisher)
      await publisher.drain()
      #expect(listener.journal.entries == threeStates)

      let (manual, held) = (ManualExecutor(), Listener())
      publisher.subscribe(held, on: .executor(manual)) { held, state in
        manual.checkIsolated()
        held.note(state)
      }
      #expect(held.journal.entries == [])
      manual.runAll()
      #expect(held.journal.entries == [.error(Failure.offline, previous: 1)])
    }

    @Test("actor: isolated to the actor, whatever its executor is, and only as long as the actor lives")
    func onAnActor() async {
      let (tally, housekeeper) = (Tally(), Housekeeper())
      publisher.subscribe(listener, on: .actor(tally)) { [weak tally] listener, state in
        tally?.preconditionIsolated()
        listener.note(state)
      }
      publishThree(publisher)
      await publisher.drain()
      #expect(listener.journal.entries == threeStates)

      let second = Listener()
      publisher.subscribe(second, on: .actor(housekeeper)) { [weak housekeeper] listener, state in
        housekeeper?.preconditionIsolated()
        if let queue = housekeeper?.executor.queue { Here.assertQueue(queue) }
        listener.note(state)
      }
      publisher.reset()
      await publisher.drain()
      #expect(second.journal.entries.last == .unknown)
      withExtendedLifetime((tally, housekeeper)) {}
    }

    @Test("a subscription ends with its actor")
    func actorEnds() async {
      actor Brief {
        nonisolated let executor: ManualExecutor
        nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }
        init(_ executor: ManualExecutor) { self.executor = executor }
      }
      let executor = ManualExecutor()
      let subscription = {
        let actor = Brief(executor)
        return publisher.subscribe(listener, on: .actor(actor)) { _, _ in }
      }()
      executor.runAll()  // its first delivery may hold the actor
      #expect(!subscription.isActive)
      #expect(subscription.cancel() == .alreadyCancelled)
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
      await withTaskExecutorPreference(executor) { await Self.assertQueue(queue) }

      let housekeeper = Housekeeper()
      await housekeeper.add(.loaded(1))
      #expect(await housekeeper.states == [.loaded(1)])

      let own = QueueExecutor(label: "own")
      let journal = Journal<Int>()
      await withTaskGroup { group in
        for number in 1...100 { group.addTask(executorPreference: own) { journal.add(number) } }
      }
      #expect(journal.entries == Array(1...100))
    }

    @concurrent private nonisolated static func assertQueue(_ queue: DispatchQueue) async { Here.assertQueue(queue) }
  }
}
