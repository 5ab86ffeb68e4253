import Dispatch
import SubPub
import SubPubTesting
import Synchronization
import Testing

@Suite("A replacement never overlaps what it replaces", .timeLimit(.minutes(1)))
struct ReplacementTests {
  /// Held in its first delivery; counts how many of its calls run at once.
  final class Held: TypedSubscriber {
    let gate = Gate()
    private let inside = Atomic<Int>(0)
    let most = Atomic<Int>(0)

    func receive(_ state: LoadState<Int>) {
      let calls = inside.add(1, ordering: .relaxed).newValue
      most.max(calls, ordering: .relaxed)
      if calls == 1 { gate.pass() }
      inside.subtract(1, ordering: .relaxed)
    }
  }

  @Test("on another queue, and on a third, while the first delivery is still under way", arguments: [true, false])
  func required_2_06_replacedTwice(bySecondQueue: Bool) async {
    let publisher = Publisher<Int>()
    let subscriber = Held()
    defer { subscriber.gate.open() }
    let queues = (1...3).map { DispatchQueue(label: "queue \($0)") }
    publisher.subscribe(subscriber, on: .queue(queues[0]))
    await subscriber.gate.waitUntilHeld()
    publisher.subscribe(subscriber, on: .queue(queues[bySecondQueue ? 1 : 0]), ifDuplicate: .replace)
    let last = publisher.subscribe(subscriber, on: .queue(queues[2]), ifDuplicate: .replace)
    publisher.updateData(1)
    // Whatever could start has started when these have run.
    for queue in queues.dropFirst() { await queue.passed() }
    #expect(subscriber.most.load(ordering: .relaxed) == 1)
    #expect(last.statistics.delivered == 0)
    subscriber.gate.open()
    await publisher.drain()
    #expect(subscriber.most.load(ordering: .relaxed) == 1)
    #expect(last.statistics.lastVersion == 1)
  }

  /// Does something when it dies.
  final class Mortal: Sendable {
    private let whenDying: @Sendable () -> Void
    init(_ whenDying: @escaping @Sendable () -> Void) { self.whenDying = whenDying }
    deinit { whenDying() }
  }

  @Test("and is cancelled itself between its turn and its replay: nothing is delivered")
  func required_2_06_3_02_cancelledBeforeReplay() {
    let (publisher, recorder, executor) = (Publisher<Mortal>(), Recorder<Mortal>(), ManualExecutor())
    publisher.subscribe(recorder, on: .executor(executor))
    publisher.updateData(Mortal { publisher.unsubscribe(recorder) })
    publisher.reset()
    // What was pending for the old one dies after the turn, and cancels the new one.
    let new = publisher.subscribe(recorder, on: .immediate, ifDuplicate: .replace)
    #expect(!new.isActive)
    #expect(recorder.states.isEmpty)
    publisher.reset()
    #expect(recorder.states.isEmpty)
    executor.runAll()
  }
}
