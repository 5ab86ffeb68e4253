import SubPub
import SubPubTesting
import Synchronization
import Testing

/// Foreign code that, the first time that it runs once armed, has another thread use the publisher, and waits for it.
///
/// If the library held a turn or a lock around that code, the other thread would wait for ever: an issue after 10
/// seconds.
final class Intrusion: Sendable {
  private enum Phase { static let safe = 0, armed = 1, done = 2 }
  private let phase = Atomic<Int>(Phase.safe)
  private let meanwhile: @Sendable () -> Void
  private let over = Event()

  init(_ meanwhile: @escaping @Sendable () -> Void) { self.meanwhile = meanwhile }

  /// The other thread reads, publishes, subscribes and cancels.
  convenience init<Value: Sendable>(at publisher: Publisher<Value>) {
    // Weakly: the publisher may hold the foreign code.
    self.init { [weak publisher] in if let publisher { Self.use(publisher) } }
  }

  func arm() { phase.store(Phase.armed, ordering: .releasing) }

  /// What the foreign code calls.
  func strike() {
    let exchanged = phase.compareExchange(expected: Phase.armed, desired: Phase.done, ordering: .acquiringAndReleasing)
    guard exchanged.exchanged else { return }
    OwnThread.runBlocking(meanwhile)
    over.happen()
  }

  /// Returns when the foreign code has run so often while it was armed.
  func wait(times: Int = 1, fileID: String = #fileID, line: Int = #line) async throws {
    try await over.wait(count: times, fileID: fileID, line: line)
  }

  /// Whether the foreign code ran.
  var hasStruck: Bool { phase.load(ordering: .acquiring) == Phase.done }

  static func use<Value: Sendable>(_ publisher: Publisher<Value>) {
    let before = publisher.current.version
    publisher.republish()
    #expect(publisher.current.version == before + 1)
    let recorder = Recorder<Value>()
    let first = publisher.subscribe(recorder, on: .immediate)
    let second = publisher.subscribe(recorder, on: .background, ifDuplicate: .allow)
    #expect(publisher.subscriberCount >= 2)
    #expect(first.cancel() != .alreadyCancelled)
    #expect(publisher.unsubscribe(recorder) != .alreadyCancelled)
    #expect(!second.isActive)
  }
}
