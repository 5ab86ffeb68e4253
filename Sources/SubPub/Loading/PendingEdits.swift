/// A manager's data, and where it comes from.
struct ManagerData<Value: Sendable>: Sendable {
  let value: Value
  let provenance: Provenance?
}

/// The edits that aren't confirmed yet, in the order of the calls, and the server's data below them (5.20).
///
/// Immutable, so a turn that finds the same object finds the same edits. There is at least one.
final class PendingEdits<Value: Sendable>: Sendable {
  /// One edit, identified by its object.
  final class Edit: Sendable {
    let apply: @Sendable (Value) -> Value
    /// The value of `LoadingState.serverChanges` when the edit was made.
    let serverChanges: Int

    init(serverChanges: Int, _ apply: @escaping @Sendable (Value) -> Value) {
      self.serverChanges = serverChanges
      self.apply = apply
    }
  }

  let all: [Edit]
  /// The server's data as far as the manager knows it; nil if there is none, so that no edit is shown.
  let server: ManagerData<Value>?

  init(_ all: [Edit], over server: ManagerData<Value>?) {
    self.all = all
    self.server = server
  }

  /// Returns what is shown: the data with the edits folded over it.
  ///
  /// Calls foreign code, so never inside a turn.
  func folded(over server: ManagerData<Value>) -> ManagerData<Value> {
    ManagerData(
      value: all.reduce(server.value) { $1.apply($0) },
      provenance: Provenance(.edited, freshSince: server.provenance?.freshSince))
  }

  /// Returns the other edits; nil if there are none.
  func removing(_ edit: Edit, over server: ManagerData<Value>?) -> PendingEdits? {
    let others = all.filter { $0 !== edit }
    return others.isEmpty ? nil : PendingEdits(others, over: server)
  }

  func contains(_ edit: Edit) -> Bool { all.contains { $0 === edit } }
}

extension LoadState {
  /// Returns the state in the same phase with other data.
  func replacingData(with value: Value) -> LoadState {
    switch self {
    case .unknown: .unknown
    case .loading: .loading(previous: value)
    case .loaded: .loaded(value)
    case .error(let error, _): .error(error, previous: value)
    }
  }

  /// Returns the state after the server has sent its data: `loaded`, unless the state is `loading`.
  func answered(with value: Value) -> LoadState {
    if case .loading = self { .loading(previous: value) } else { .loaded(value) }
  }
}

extension Publisher {
  /// Returns the current publication with the server's data instead of edited data; a transition by hand drops the
  /// edits.
  ///
  /// If the edits change in the meantime, so does the current publication, and the transition is tried again.
  @usableFromInline
  func withoutEdits(_ current: Publication<Value>) -> Publication<Value> {
    guard current.origin == .edited, let edits = registry.present?.edits as? PendingEdits<Value>,
      let server = edits.server
    else { return current }
    return Publication(
      current.state.replacingData(with: server.value), source: id, provenance: server.provenance)
  }
}
