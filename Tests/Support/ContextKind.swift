/// Every kind of context that a subscription can name.
package enum ContextKind: String, CaseIterable, Codable, Sendable {
  case immediate, main, background
  case queue, concurrentQueue, independentQueue
  case executor, serial
  case actor, actorOnQueue

  /// Whether one publisher's subscriptions on the same context of this kind share a lane.
  package var isShared: Bool {
    switch self {
    case .immediate, .main, .queue, .concurrentQueue, .serial, .actor, .actorOnQueue: true
    case .background, .independentQueue, .executor: false
    }
  }
}
