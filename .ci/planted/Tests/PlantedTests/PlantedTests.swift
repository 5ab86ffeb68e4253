import Dispatch
import SubPub
import Testing

/// If these tests pass under a sanitizer, it finds nothing.
@Suite("Faults of a user's, planted")
struct PlantedTests {
  /// A count without a lock, which is correct if only one subscription accesses it (2.09).
  final class Tally: @unchecked Sendable {
    var count = 0
  }

  @Test("two subscriptions, each with a lane of its own, touch one count: a data race")
  func race() async {
    let (publisher, tally) = (Publisher<Int>(), Tally())
    // Both are in their first delivery before either continues.
    let (first, second) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    for (mine, other) in [(first, second), (second, first)] {
      publisher.subscribe(tally, on: .background) { tally, state in
        if state == .unknown {
          mine.signal()
          other.wait()
        }
        tally.count += 1
      }
    }
    for number in 1...1_000 { publisher.updateData(number) }
    await publisher.drain()
    #expect(tally.count > 0)
  }

  @Test("a subscriber that holds itself: a leak")
  func leak() {
    final class Circle: @unchecked Sendable {
      var itself: Circle?
      func close() { itself = self }
    }
    let publisher = Publisher<Int>()
    for _ in 1...100 {
      let circle = Circle()
      circle.close()
      publisher.subscribe(circle, on: .immediate) { _, _ in }
    }
  }
}
