import SubPub
import SubPubTesting
import Testing

/// The first subscriber publishes two states in each of its deliveries, so every later one is overtaken.
@Suite("A lane that is flooded as long as it is served")
struct FloodTests {
  private let publisher = Publisher<Int>()
  private let executor = ManualExecutor()
  private let deliveries = Locked(0)

  /// Floods the lane of the executor, and calls a closure in each delivery of the flood.
  private func flood(for limit: Int, _ body: @escaping @Sendable (Int, Publisher<Int>) -> Void) {
    publisher.subscribe(deliveries, on: .executor(executor), buffering: .latest) { [weak publisher] deliveries, _ in
      let count = deliveries.withLock { count in
        count += 1
        return count
      }
      guard count <= limit, let publisher else { return }
      body(count, publisher)
      publisher.updateData(2 * count)
      publisher.updateData(2 * count + 1)
    }
  }

  @Test("an unbounded subscriber that joins receives everything, and the last state arrives at the others")
  func required_1_03_2_01_unbounded() {
    let recorder = Recorder<Int>()
    flood(for: 50) { [executor] count, publisher in
      if count == 10 { publisher.subscribe(recorder, on: .executor(executor)) }
    }
    executor.runAll()
    #expect(recorder.states.compactMap(\.value) == Array(19...101))
    #expect(deliveries.withLock { $0 } == 51)
  }
}
