import Dispatch
import SubPub
import SubPubTesting

/// A subscriber without a protocol, whose handlers record the states.
nonisolated final class Listener: Sendable {
  let journal = Journal<LoadState<Int>>()
  func note(_ state: LoadState<Int>) { journal.add(state) }
}

/// The states that every subscription below gets: the replay, and the transitions of `publishThree`.
nonisolated let threeStates: [LoadState<Int>] = [
  .unknown, .loading(previous: nil), .loaded(1), .error(Failure.offline, previous: 1),
]

nonisolated func publishThree(_ publisher: Publisher<Int>) {
  publisher.startLoading()
  publisher.updateData(1)
  publisher.setError(Failure.offline)
}

func deliveryValues() {
  let queue = DispatchQueue(label: "q")
  let executor = QueueExecutor(label: "e")
  let actor = Tally()
  let all: [DeliveryContext] = [
    .immediate, .main, .background, .queue(queue), .queue(queue, independent: true), .executor(executor),
    .actor(actor),
  ]
  expectEqual(Set(all).count, all.count, "deliveries are distinct values")
  expectEqual(Set(all.map(\.description)).count, all.count, "with distinct descriptions")
  expectEqual(DeliveryContext.queue(queue), .queue(queue), "a queue equals itself")
  expectEqual(DeliveryContext.executor(executor), .executor(executor), "an executor equals itself")
  expectEqual(DeliveryContext.actor(actor), .actor(actor), "an actor equals itself")
  expectEqual(DeliveryContext.queue(.main), .main, "the main queue is the main actor")
  expect(DeliveryContext.queue(queue) != .queue(DispatchQueue(label: "q")), "another queue differs")
  passed("Delivery: values")
}

func immediateDelivery() async {
  let publisher = Publisher<Int>()
  let listener = Listener()
  let thread = Here.thread
  publisher.subscribe(listener, on: .immediate) { listener, state in
    Here.expectThread(thread)
    listener.note(state)
  }
  expectEqual(listener.journal.entries, [.unknown], "the replay comes before subscribe returns")
  publishThree(publisher)
  expectEqual(listener.journal.entries, threeStates, "each state comes before the publish returns")

  let other = Publisher<Int>()
  let threads = Journal<UInt>()
  other.subscribe(listener, on: .immediate) { _, _ in threads.add(Here.thread) }
  let published = await onAThread {
    other.startLoading()
    return Here.thread
  }
  expectEqual(threads.entries, [thread, published], "the publishing thread delivers")
  passed("DeliveryContext.immediate")
}

@MainActor func mainDelivery() async {
  let publisher = Publisher<Int>()
  let listener = Listener()
  publisher.subscribe(listener, on: .main) { listener, state in
    Here.expectMainActor()
    listener.note(state)
  }
  publishThree(publisher)
  expectEqual(listener.journal.entries, [], "never before the publish returns, on main too")
  await publisher.drain()
  expectEqual(listener.journal.entries, threeStates, "on the main actor")
  passed("DeliveryContext.main")
}

func backgroundDelivery() async {
  let publisher = Publisher<Int>()
  let listener = Listener()
  publisher.subscribe(listener, on: .background) { listener, state in
    Here.expectBackground()
    listener.note(state)
  }
  publishThree(publisher)
  await publisher.drain()
  expectEqual(listener.journal.entries, threeStates, "in the background")
  passed("DeliveryContext.background")
}

func queueDelivery() async {
  let publisher = Publisher<Int>()
  let listeners = [Listener(), Listener()]
  let queue = Here.makeQueue("orders")
  let visits = Journal<Int>()
  for (index, listener) in listeners.enumerated() {
    publisher.subscribe(listener, on: .queue(queue)) { listener, state in
      Here.expectQueue("orders")
      visits.add(index)
      listener.note(state)
    }
  }
  await publisher.drain()
  publishThree(publisher)
  await publisher.drain()
  for listener in listeners {
    expectEqual(listener.journal.entries, threeStates, "on the queue")
  }
  expectEqual(
    Array(visits.entries.suffix(6)), [0, 1, 0, 1, 0, 1], "in the order in which they subscribed")
  passed("DeliveryContext.queue")
}

func independentQueueDelivery() async throws {
  let publisher = Publisher<Int>()
  let queue = Here.makeQueue("pool", concurrent: true)
  let slow = Listener()
  let quick = Listener()
  let gate = Gate()
  publisher.subscribe(slow, on: .queue(queue, independent: true)) { listener, state in
    gate.pass()
    Here.expectQueue("pool")
    listener.note(state)
  }
  try await gate.waitUntilHeld()
  let served = Signal()
  publisher.subscribe(quick, on: .queue(queue, independent: true)) { listener, state in
    Here.expectQueue("pool")
    listener.note(state)
    if state.phase == .error { served.fire() }
  }
  publishThree(publisher)
  await served.wait()
  expectEqual(quick.journal.entries, threeStates, "the quick one does not wait for the slow one")
  expectEqual(slow.journal.entries, [], "the slow one is still held")
  gate.open()
  await publisher.drain()
  expectEqual(slow.journal.entries, threeStates, "the slow one gets all, one after the other")
  passed("DeliveryContext.queue, independent")
}

func executorDelivery() async {
  let publisher = Publisher<Int>()
  let listener = Listener()
  let executor = QueueExecutor(Here.makeQueue("executor"))
  publisher.subscribe(listener, on: .executor(executor)) { listener, state in
    Here.expectQueue("executor")
    listener.note(state)
  }
  publishThree(publisher)
  await publisher.drain()
  expectEqual(listener.journal.entries, threeStates, "on the executor")

  let manual = ManualExecutor()
  let held = Listener()
  let thread = Here.thread
  publisher.subscribe(held, on: .executor(manual)) { listener, state in
    Here.expectThread(thread)
    listener.note(state)
  }
  expectEqual(held.journal.entries, [], "nothing runs before the executor does")
  manual.runAll()
  expectEqual(held.journal.entries, [.error(Failure.offline, previous: 1)], "the replay of the current state")
  passed("DeliveryContext.executor")
}

func actorDelivery() async {
  let publisher = Publisher<Int>()
  let listener = Listener()
  let tally = Tally()
  publisher.subscribe(listener, on: .actor(tally)) { [weak tally] listener, state in
    if let tally { Here.expectActor(tally) }
    listener.note(state)
  }
  publishThree(publisher)
  await publisher.drain()
  expectEqual(listener.journal.entries, threeStates, "on the actor")

  let onItsQueue = Housekeeper()
  let second = Listener()
  publisher.subscribe(second, on: .actor(onItsQueue)) { [weak onItsQueue] listener, state in
    if let onItsQueue { Here.expectActor(onItsQueue) }
    Here.expectQueue("housekeeping")
    listener.note(state)
  }
  publisher.reset()
  await publisher.drain()
  expectEqual(second.journal.entries.last, .unknown, "on an actor with an executor of its own")

  let subscription = subscribeOnAnActorThatDies(listener, to: publisher)
  // Its first delivery may hold it for a moment.
  while subscription.isActive { await Task.yield() }
  expectEqual(subscription.cancel(), .alreadyCancelled, "an actor's subscriptions end with it")
  withExtendedLifetime((tally, onItsQueue)) {}
  passed("DeliveryContext.actor")
}

private func subscribeOnAnActorThatDies(
  _ listener: Listener, to publisher: Publisher<Int>
) -> Subscription {
  let brief = Tally()
  return publisher.subscribe(listener, on: .actor(brief)) { _, _ in }
}

/// An actor with the default executor.
actor Tally {
  private(set) var states: [LoadState<Int>] = []
  func add(_ state: LoadState<Int>) { states.append(state) }
}

/// An actor whose executor is a `QueueExecutor`.
actor Housekeeper {
  private nonisolated let executor = QueueExecutor(Here.makeQueue("housekeeping"))
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private(set) var states: [LoadState<Int>] = []

  func add(_ state: LoadState<Int>) {
    Here.expectQueue("housekeeping")
    states.append(state)
  }
}
