import Dispatch
import SubPub
import SubPubTesting

/// A context that a test can keep from beginning anything.
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

  /// Runs the body while nothing begins here. What subscribes in it has had no delivery when it returns: its lane has
  /// not been drained yet.
  func whileStopped<R>(_ body: () throws -> R) async rethrows -> R {
    if let queue {
      queue.suspend()
      defer { queue.resume() }
      return try body()
    }
    let gate = Gate()
    defer { gate.open() }
    DispatchQueue.main.async { gate.pass() }
    await gate.waitUntilHeld()
    return try body()
  }
}
