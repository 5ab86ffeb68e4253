import SubPub

extension BufferingPolicy {
  /// One of each.
  static let oneOfEach: [BufferingPolicy] = [.unbounded, .latest, .newest(3)]

  /// What a buffer of that policy has left of states that came all at once.
  func rest<State>(of states: [State]) -> [State] {
    switch self {
    case .unbounded: states
    case .latest: states.suffix(1)
    case .newest(let count): states.suffix(count)
    }
  }
}
