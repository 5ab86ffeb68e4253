import Dispatch
import SubPub
import SubPubTesting

/// A context that a test can stop.
final class StoppablePlace: Sendable {
  enum Kind: String, CaseIterable, Codable, Sendable {
    case main, queue, concurrentQueue, independentQueue, executor, actor
  }

  let context: DeliveryContext
  /// Nil for the main actor.
  private let queue: DispatchQueue?
  private let host: QueueHost?

  init(_ kind: Kind) {
    let isConcurrent = kind == .concurrentQueue || kind == .independentQueue
    let queue = DispatchQueue(label: kind.rawValue, attributes: isConcurrent ? .concurrent : [])
    let executor = QueueExecutor(queue)
    let host = QueueHost(executor)
    self.queue = kind == .main ? nil : queue
    self.host = kind == .actor ? host : nil
    context =
      switch kind {
      case .main: .main
      case .queue, .concurrentQueue: .queue(queue)
      case .independentQueue: .queue(queue, independent: true)
      case .executor: .executor(executor)
      case .actor: .actor(host)
      }
  }

  /// Stops a context other than the main actor until `resume()`.
  func stop() { queue?.suspend() }
  func resume() { queue?.resume() }

  /// Runs the body while the context begins nothing.
  ///
  /// A subscription that the body makes has had no delivery when this returns.
  func whileStopped<R>(_ body: () throws -> R) async throws -> R {
    if let queue {
      queue.suspend()
      defer { queue.resume() }
      return try body()
    }
    let gate = Gate()
    defer { gate.open() }
    DispatchQueue.main.async { gate.pass() }
    try await gate.waitUntilHeld()
    return try body()
  }
}

/// A context that delivers on the test's own thread, when the test says so.
///
/// Whatever the library releases is dead when `serve()` returns.
struct ManualPlace {
  enum Kind: String, CaseIterable, Codable, Sendable { case immediate, executor, actor }

  let context: DeliveryContext
  private let executor = ManualExecutor()
  private let host: ManualHost

  init(_ kind: Kind) {
    host = ManualHost(executor)
    context =
      switch kind {
      case .immediate: .immediate
      case .executor: .executor(executor)
      case .actor: .actor(host)
      }
  }

  /// Delivers the pending states.
  func serve() {
    executor.runAll()
    withExtendedLifetime(host) {}
  }
}
