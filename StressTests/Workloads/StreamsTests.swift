import Dispatch
import Foundation
import SubPub
import SubPubTesting
import Support
import Testing

extension StressTests {
  @Test("10,000 listeners come and go on eight threads, and start and stop a stream 1,000 times")
  func stochastic_5_21_streams() async { await Workload.streams.run(Streams.perform) }
}

/// Eight threads whose listeners come, receive elements, and leave or die, so that a stream starts and stops in each
/// cycle.
enum Streams {
  private static let threads = 8
  private static let cycles = 1_000

  @Sendable static func perform(_ round: Round) async -> RoundResult {
    let closed = DispatchSemaphore(value: 0)
    let source = CountedStream { closed.signal() }
    let manager = source.makeManager(keepingAlive: round.seed.isMultiple(of: 4) ? .microseconds(100) : .zero)
    let barrier = CyclicBarrier(threads)
    let listeners = await ThreadGroup(size: threads).run { index in
      var random = round.random(index)
      var count = 0
      for _ in 0..<cycles {
        barrier.pass()
        for _ in 0...random.draw(2) {
          count += 1
          comeAndGo(manager.publisher, source, waits: index == 0 || random.draw(2) == 0, &random)
        }
        barrier.pass()
        if index == 0 { source.flowing { waitForStop(of: manager, closed) } }
      }
      return count
    }.reduce(0, +)
    var found = source.violations
    if source.runs < cycles || listeners < 10_000 {
      found.append("\(listeners) listeners have started the stream \(source.runs) times only")
    }
    var result = RoundResult()
    result.violations = found.map { Violation(rule: "5.21", text: $0) }
    return result
  }

  private static func comeAndGo(
    _ publisher: Publisher<CountedStream.Element>, _ source: CountedStream, waits: Bool, _ random: inout SeededGenerator
  ) {
    let listener = StreamListener(source)
    let subscription = publisher.subscribe(listener, on: random.draw(2) == 0 ? .immediate : .background)
    if waits { listener.waitForElement() }
    // Otherwise, it dies.
    if random.draw(2) == 0 { subscription.cancel() }
  }

  /// Blocks until the run has ended, once no thread has a listener any more.
  ///
  /// A delivery may still hold one that has died; then the next element ends the run. A run that has ended before its
  /// sequence was opened closes nothing, so it has to be asked again.
  private static func waitForStop(of manager: StreamManager<CountedStream.Element>, _ closed: DispatchSemaphore) {
    while manager.publisher.subscriberCount > 0 || manager.isRunning {
      _ = closed.wait(timeout: .now() + .milliseconds(1))
    }
  }
}

/// Lets threads go when all have arrived, again and again.
private final class CyclicBarrier: Sendable {
  private let size: Int
  private let condition = NSCondition()
  private let state = Guarded((arrived: 0, cycle: 0))

  init(_ size: Int) { self.size = size }

  func pass() {
    condition.lock()
    defer { condition.unlock() }
    let (cycle, isLast) = state.with { state in
      state.arrived += 1
      defer { if state.arrived == size { state = (0, state.cycle + 1) } }
      return (state.cycle, state.arrived == size)
    }
    if isLast { return condition.broadcast() }
    while state.with({ $0.cycle }) == cycle { condition.wait() }
  }
}
