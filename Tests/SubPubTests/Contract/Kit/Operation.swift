import SubPub

/// The operations that are a transition in every state (1.01).
enum Operation: String, CaseIterable, Codable, Sendable {
  case startLoading, updateData, setError, reset, setState, publish, update

  func perform(at publisher: Publisher<Int>) {
    switch self {
    case .startLoading: publisher.startLoading()
    case .updateData: publisher.updateData(1)
    case .setError: publisher.setError(Failure.offline)
    case .reset: publisher.reset()
    case .setState: publisher.setState(.loading(previous: 2))
    case .publish: publisher.republish()
    case .update: publisher.update { $0 }
    }
  }
}
