import Dispatch
import SubPub
import SubPubTesting
import Synchronization
import Testing

@Suite("A drain hands its context back, so that a flood starves nothing else there", .timeLimit(.minutes(1)))
struct HandBackTests {
  /// How many calls are on top of each other, and how many there were at most.
  final class Depth: Sendable {
    private let now = Atomic<Int>(0)
    private let most = Atomic<Int>(0)

    func enter() { most.max(now.add(1, ordering: .relaxed).newValue, ordering: .relaxed) }
    func leave() { now.subtract(1, ordering: .relaxed) }
    var deepest: Int { most.load(ordering: .relaxed) }
  }

  /// Publishes the next state from each delivery, up to a last one.
  final class Chain: Sendable {
    private let publisher: Publisher<Int>
    private let length: Int
    let deliveries = Atomic<Int>(0)
    let depth = Depth()

    init(_ publisher: Publisher<Int>, length: Int) {
      self.publisher = publisher
      self.length = length
    }

    func receive(_ state: LoadState<Int>) {
      depth.enter()
      defer { depth.leave() }
      let count = deliveries.add(1, ordering: .relaxed).newValue
      if count < length { publisher.updateData(count) }
    }
  }

  @Test("what else is on a serial queue has its turn after 256 deliveries")
  func required_2_08_serialQueue() async {
    let publisher = Publisher<Int>()
    let chain = Chain(publisher, length: 10_000)
    let (queue, gate) = (DispatchQueue(label: "shared"), Gate())
    publisher.subscribe(chain, on: .queue(queue)) { chain, state in
      gate.pass()
      chain.receive(state)
    }
    await gate.waitUntilHeld()
    // Behind the drain that is held in its first delivery.
    let seen = await withCheckedContinuation { (seen: CheckedContinuation<Int, Never>) in
      queue.async { seen.resume(returning: chain.deliveries.load(ordering: .relaxed)) }
      gate.open()
    }
    #expect((1...256).contains(seen))
    await publisher.drain()
  }

  @Test("an actor that floods itself is let go of all the same")
  func required_2_05_floodedActor() async {
    actor Mill {
      let gone: Gate
      init(_ gone: Gate) { self.gone = gone }
      deinit { gone.open() }
    }
    let (publisher, gone) = (Publisher<Int>(), Gate())
    // Each delivery publishes the next, as long as there is somebody to deliver to.
    let subscriber = Recorder<Int>()
    func flood() -> Subscription {
      publisher.subscribe(subscriber, on: .actor(Mill(gone))) { [weak publisher] _, _ in publisher?.publish() }
    }
    let subscription = flood()
    await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
      DispatchQueue(label: "waits").async {
        gone.pass()
        done.resume()
      }
    }
    #expect(!subscription.isActive)
  }

  @Test("an executor that runs jobs at once doesn't make the stack grow")
  func required_4_04_inlineExecutor() {
    final class Inline: TaskExecutor {
      let depth = Depth()

      func enqueue(_ job: consuming ExecutorJob) {
        depth.enter()
        defer { depth.leave() }
        unsafe UnownedJob(job).runSynchronously(on: asUnownedTaskExecutor())
      }
    }
    let (publisher, executor) = (Publisher<Int>(), Inline())
    let chain = Chain(publisher, length: 100_000)
    publisher.subscribe(chain, on: .executor(executor)) { $0.receive($1) }
    #expect(chain.deliveries.load(ordering: .relaxed) == 100_000)
    #expect(chain.depth.deepest == 1)
    // The job that drains, and on top of it the one that it asked for when it handed back.
    #expect(executor.depth.deepest <= 2)
  }

  @Test("the publishing thread's stack doesn't grow either")
  func required_4_04_immediate() {
    let publisher = Publisher<Int>()
    let chain = Chain(publisher, length: 100_000)
    publisher.subscribe(chain, on: .immediate) { $0.receive($1) }
    #expect(chain.deliveries.load(ordering: .relaxed) == 100_000)
    #expect(chain.depth.deepest == 1)
  }
}
