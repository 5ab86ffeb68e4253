import Support
import Testing

extension ContextKind {
  /// All but the publishing thread.
  static let asynchronous = allCases.filter { $0 != .immediate }
  /// Those that a closed gate may hold: an actor without an executor of its own would hold a thread of Swift's pool.
  static let holdable = allCases.filter { $0 != .actor }
  static let holdableAsynchronous = holdable.filter { $0 != .immediate }
  /// Those whose subscriptions at one publisher share a lane.
  static let shared: [ContextKind] = [.immediate, .main, .queue, .concurrentQueue, .actor, .actorOnQueue]
  static let holdableShared = shared.filter { $0 != .actor }
  /// Those that run several things at once.
  static let concurrent: [ContextKind] = [.background, .concurrentQueue, .independentQueue, .executor]
  /// Those that run one thing at a time, whoever asks.
  static let serial: [ContextKind] = [.main, .queue, .actor, .actorOnQueue]
}

extension ContextKind: CustomTestStringConvertible {
  var testDescription: String { rawValue }
}
