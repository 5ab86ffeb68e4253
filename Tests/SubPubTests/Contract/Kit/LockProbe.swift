import Dispatch
import SubPub
import SubPubTesting
import Synchronization
import Testing

/// Checks that the library holds no turn and no lock while foreign code runs.
///
/// The foreign code calls `run()`. Once armed, the first call has another thread use the publisher, and waits for it.
/// That thread would be blocked if the library held a lock, and the wait would end with an issue.
final class LockProbe: Sendable {
  private enum Phase { static let safe = 0, armed = 1, done = 2 }
  private let phase = Atomic<Int>(Phase.safe)
  private let meanwhile: @Sendable () -> Void
  private let over = Event()

  init(_ meanwhile: @escaping @Sendable () -> Void) { self.meanwhile = meanwhile }

  /// The other thread reads, publishes, subscribes and cancels.
  convenience init<Value: Sendable>(at publisher: Publisher<Value>) {
    // Weak, because the publisher may hold the foreign code.
    self.init { [weak publisher] in if let publisher { Self.use(publisher) } }
  }

  func arm() { phase.store(Phase.armed, ordering: .releasing) }

  /// Is called by the foreign code.
  func run() {
    let exchanged = phase.compareExchange(expected: Phase.armed, desired: Phase.done, ordering: .acquiringAndReleasing)
    guard exchanged.exchanged else { return }
    OwnThread.runBlocking(meanwhile)
    over.happen()
  }

  /// Returns when the foreign code has run that often while the probe was armed.
  func wait(times: Int = 1, fileID: String = #fileID, line: Int = #line) async throws {
    try await over.wait(count: times, fileID: fileID, line: line)
  }

  /// Whether the foreign code has run since the probe was armed.
  var hasRun: Bool { phase.load(ordering: .acquiring) == Phase.done }

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

/// A value that runs a probe when it is compared or described.
struct ProbingValue: Equatable, Sendable, CustomStringConvertible {
  private let probe: LockProbe

  init(_ probe: LockProbe) { self.probe = probe }

  static func == (left: ProbingValue, right: ProbingValue) -> Bool {
    left.probe.run()
    return true
  }

  var description: String {
    probe.run()
    return "probing value"
  }
}

/// An error that runs a probe when it is described, and when it dies.
final class ProbingError: Error, CustomStringConvertible {
  private let probe: LockProbe

  init(_ probe: LockProbe) { self.probe = probe }

  var description: String {
    probe.run()
    return "probing error"
  }

  deinit { probe.run() }
}

/// An actor whose executor runs a probe in `enqueue` and in `isIsolatingCurrentContext`.
actor ProbingHost {
  nonisolated let executor: Executor
  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

  init(_ probe: LockProbe) { executor = Executor(probe) }

  final class Executor: SerialExecutor {
    let queue = DispatchQueue(label: "probing")
    private let place: Place
    private let probe: LockProbe

    init(_ probe: LockProbe) {
      self.probe = probe
      place = Place(.queue, .queue(queue), on: queue)
    }

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      probe.run()
      queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func isIsolatingCurrentContext() -> Bool? {
      probe.run()
      return place.isHere
    }

    func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
  }
}
