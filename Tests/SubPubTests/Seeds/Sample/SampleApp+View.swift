import SubPub

extension SampleApp {
  /// A state as somebody was told it.
  struct View: Hashable, Sendable, CustomStringConvertible {
    let version: UInt64
    let phase: LoadPhase
    let items: [Item]
    let error: String?

    init<Value: Sendable>(_ publication: Publication<Value>, _ items: (Value) -> [Item]) {
      version = publication.version
      phase = publication.phase
      self.items = publication.state.value.map(items) ?? []
      error = publication.error.map { "\($0)" }
    }

    var description: String {
      let items = items.map { "\($0.login).\($0.ticket).\($0.page)" }.joined(separator: " ")
      return "\(version) \(phase) [\(items)] \(error ?? "")"
    }
  }
}
