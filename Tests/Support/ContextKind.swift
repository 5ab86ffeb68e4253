import Testing

/// Every kind of context that a subscription can name.
package enum ContextKind: String, CaseIterable, Codable, Sendable {
  case immediate, main, background
  case queue, concurrentQueue, independentQueue
  case executor, serial
  case actor, actorOnQueue

  /// Whether one publisher's subscriptions on the same context of this kind share a lane.
  package var isShared: Bool { Self.shared.contains(self) }
}

extension ContextKind {
  /// All but the publishing thread.
  package static let asynchronous = allCases.filter { $0 != .immediate }
  /// Those that a closed gate may hold: an actor without an executor of its own would hold a thread of Swift's pool.
  package static let holdable = allCases.filter { $0 != .actor }
  package static let holdableAsynchronous = holdable.filter { $0 != .immediate }
  /// Those whose subscriptions at one publisher share a lane.
  package static let shared: [ContextKind] = [
    .immediate, .main, .queue, .concurrentQueue, .serial, .actor, .actorOnQueue,
  ]
  package static let holdableShared = shared.filter { $0 != .actor }
  /// Those that run several things at once.
  package static let concurrent: [ContextKind] = [.background, .concurrentQueue, .independentQueue, .executor]
  /// Those that a test can stop.
  package static let stoppable: [ContextKind] = [
    .main, .queue, .concurrentQueue, .independentQueue, .executor, .serial, .actorOnQueue,
  ]
  /// Those that run one thing at a time, whoever asks.
  package static let exclusive: [ContextKind] = [.main, .queue, .serial, .actor, .actorOnQueue]
}

extension ContextKind: CustomTestStringConvertible {
  package var testDescription: String { rawValue }
}
