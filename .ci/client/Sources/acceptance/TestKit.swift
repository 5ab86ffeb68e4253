import Dispatch
import SubPub
import SubPubTesting

func recorders() async {
  let publisher = Publisher<Int>()
  let recorder = Recorder<Int>()
  publisher.subscribe(recorder, on: .background)
  publishThree(publisher)
  do {
    try await recorder.wait(count: 4)
    expectEqual(recorder.states, threeStates, "states")
    expectEqual(recorder.publications.map(\.version), [0, 1, 2, 3], "publications")
    try await recorder.wait(until: { $0.phase == .error })
    publisher.updateData(7)
    try await recorder.wait(within: .seconds(10), until: { $0 == .loaded(7) })
    try await recorder.wait(count: 5, within: .seconds(10))
  } catch {
    fail("what was waited for came: \(error)")
  }
  do {
    try await recorder.wait(count: 100, within: .milliseconds(20))
    fail("waiting for what never comes throws")
  } catch {}
  do {
    try await recorder.wait(within: .milliseconds(20), until: { $0 == .loaded(-1) })
    fail("waiting for what never comes throws")
  } catch {}
  passed("Recorder")
}

func manualExecutors() async {
  // As a task executor.
  let executor = ManualExecutor()
  expectEqual(executor.pending, 0, "nothing waits")
  expect(!executor.runOne(), "nothing to run")
  let journal = Journal<Int>()
  let first = Task(executorPreference: executor) { journal.add(1) }
  let second = Task(executorPreference: executor) { journal.add(2) }
  expectEqual(executor.pending, 2, "two wait")
  expect(executor.runOne(), "one has run")
  expectEqual(journal.entries, [1], "in order, without a seed")
  expectEqual(executor.runAll(), 1, "the other has run")
  expectEqual(journal.entries, [1, 2], "both")
  await first.value
  await second.value

  // As the executor of an actor.
  let puppet = Puppet(executor)
  let acting = Task { await puppet.act() }
  while executor.pending == 0 { await Task.yield() }
  executor.runAll()
  expectEqual(await acting.value, 1, "an actor that runs by hand")

  // With a seed: the same order each time.
  let orders = (1...2).map { _ in
    let seeded = ManualExecutor(seed: 42)
    let order = Journal<Int>()
    for number in 1...20 { Task(executorPreference: seeded) { order.add(number) } }
    seeded.runAll()
    return order.entries
  }
  expectEqual(orders[0], orders[1], "the same seed, the same order")
  expectEqual(orders[0].sorted(), Array(1...20), "each once")
  passed("ManualExecutor")
}

private actor Puppet {
  private nonisolated let executor: ManualExecutor
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private var acts = 0

  init(_ executor: ManualExecutor) { self.executor = executor }

  func act() -> Int {
    acts += 1
    return acts
  }
}

func gates() async throws {
  let gate = Gate()
  let journal = Journal<String>()
  let passing = Signal()
  DispatchQueue(label: "held").async {
    gate.pass()
    journal.add("passed")
    passing.fire()
  }
  try await gate.waitUntilHeld()
  expectEqual(journal.entries, [], "held")
  gate.open()
  await passing.wait()
  expectEqual(journal.entries, ["passed"], "opened")
  gate.pass()  // an open gate holds nobody
  passed("Gate")
}

func asyncGates() async throws {
  let gate = AsyncGate()
  expectEqual("\(gate)", "AsyncGate: closed, holding 0 tasks", "a description")
  let manager = LoadingManager<Int> {
    await gate.pass()
    return 1
  }
  manager.refreshIfNeeded()
  try await gate.waitUntilHeld()
  try await gate.waitUntilHeld(tasks: 1, within: .seconds(60))
  expectEqual(gate.held, 1, "the loader is held")
  expectEqual(manager.publisher.state, .loading(previous: nil), "held")
  expect(!gate.isOpen, "closed")
  gate.open()
  expect(gate.isOpen, "open")
  expectEqual(await manager.refresh(), .loaded(1), "opened")
  await gate.pass()  // an open gate holds nobody
  passed("AsyncGate")
}

func manualClocks() async throws {
  let clock = ManualClock()
  let start = clock.now
  expectEqual(clock.sleepers, 0, "nobody sleeps")
  let journal = Journal<Int>()
  let short = Task {
    try await clock.sleep(for: .seconds(1))
    journal.add(1)
  }
  let long = Task {
    try await clock.sleep(for: .seconds(5))
    journal.add(5)
  }
  try await clock.waitForSleepers(2)
  try await clock.waitForSleepers(1, until: start.advanced(by: .seconds(5)), within: .seconds(60))
  expectEqual(clock.sleepers, 2, "two sleep")
  expectEqual(clock.deadlines.map(\.sinceStart), [.seconds(1), .seconds(5)], "until when")
  do {
    try await clock.waitForSleepers(3, within: .zero)
    fail("a wait for sleepers throws at its limit")
  } catch {
    expect(error is WaitTimeout, "what the wait throws")
  }
  clock.advance(by: .seconds(2))
  _ = await short.result
  expectEqual(journal.entries, [1], "one has woken")
  expectEqual(clock.sleepers, 1, "one sleeps")
  clock.advance(by: .seconds(3))
  _ = await long.result
  expectEqual(journal.entries, [1, 5], "both have woken")
  expectEqual(start.duration(to: clock.now), .seconds(5), "the time that passed")

  let cancelled = Task { try await clock.sleep(for: .seconds(1)) }
  try await clock.waitForSleepers(1)
  cancelled.cancel()
  do {
    try await cancelled.value
    fail("a cancelled sleep throws")
  } catch {
    expect(error is CancellationError, "what a cancelled sleep throws")
  }
  let any: any Clock<Duration> = clock
  expectEqual(any.minimumResolution, clock.minimumResolution, "any Clock<Duration>")
  passed("ManualClock")
}
