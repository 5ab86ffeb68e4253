import Dispatch
import SubPub
import SubPubTesting
import Testing
// Exported, so that tests of the contract can use places without a second import.
@_exported import Support

extension ContextKind {
  /// All but the publishing thread.
  static let asynchronous = allCases.filter { $0 != .immediate }
  /// Those that a closed gate may hold: an actor without an executor of its own would hold a thread of Swift's pool.
  static let holdable = allCases.filter { $0 != .actor }
  static let holdableAsynchronous = holdable.filter { $0 != .immediate }
  /// Those whose subscriptions at one publisher share a lane.
  static let shared: [ContextKind] = [.immediate, .main, .queue, .concurrentQueue, .serial, .actor, .actorOnQueue]
  static let holdableShared = shared.filter { $0 != .actor }
  /// Those that run several things at once.
  static let concurrent: [ContextKind] = [.background, .concurrentQueue, .independentQueue, .executor]
  /// Those that a test can stop.
  static let stoppable: [ContextKind] = [
    .main, .queue, .concurrentQueue, .independentQueue, .executor, .serial, .actorOnQueue,
  ]
  /// Those that run one thing at a time, whoever asks.
  static let serial: [ContextKind] = [.main, .queue, .serial, .actor, .actorOnQueue]
}

extension ContextKind: CustomTestStringConvertible {
  var testDescription: String { rawValue }
}

extension Place {
  /// Runs the body on the context, and waits until it has run.
  func run(_ body: @escaping @Sendable () -> Void) async throws {
    let done = Event()
    start {
      body()
      done.happen()
    }
    try await done.wait()
  }

  /// Stops a context other than the main actor, which has to be stoppable, until `resume()`.
  func stop() { if kind != .main { queue?.suspend() } }
  func resume() { if kind != .main { queue?.resume() } }

  /// Runs the body while a stoppable context begins nothing.
  ///
  /// A subscription that the body makes has had no delivery when this returns.
  func whileStopped<R>(_ body: () throws -> R) async throws -> R {
    let gate = Gate()
    if kind == .main {
      start { gate.pass() }
      try await gate.waitUntilHeld()
    }
    stop()
    defer {
      gate.open()
      resume()
    }
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
