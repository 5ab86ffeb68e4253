/// A model of what is served one operation at a time, and gives each state a version.
protocol SequentialModel: Hashable {
  associatedtype Effect
  /// What subscribers see.
  associatedtype Seen: Equatable
  var version: UInt64 { get }
  var content: Seen { get }
  /// The models that an effect may lead to; none if it can't happen now.
  func results(of effect: Effect) -> [Self]
}

/// Searches for an order in which a model could have served concurrent operations one at a time.
///
/// Each is served at a moment between its begin and its end (Wing and Gong, with Lowe's memory of earlier attempts).
struct Linearizability<Model: SequentialModel> {
  struct Operation {
    /// The strand that made it.
    var client = -1
    let invocation: Int
    var response: Int
    /// A change of the model, or something that the operation has learned about it; nil if there is none.
    var effect: Model.Effect?
  }

  private struct Attempt: Hashable {
    let done: UInt128
    let model: Model
  }

  private let operations: [Operation]
  private let known: [UInt64: Model.Seen]
  private var tried: Set<Attempt> = []

  /// Takes at most 128 operations with an effect; `known` are the contents that subscribers have seen, by version.
  init(of operations: [Operation], known: [UInt64: Model.Seen] = [:]) {
    self.operations = operations.filter { $0.effect != nil }.sorted { $0.invocation < $1.invocation }
    self.known = known
    precondition(self.operations.count <= 128, "A history has more operations than there are bits")
  }

  /// Whether there is such an order that begins with a model and ends with one that `isOver` accepts.
  static func holds(
    _ operations: [Operation], known: [UInt64: Model.Seen] = [:], from model: Model,
    isOver: (Model) -> Bool = { _ in true }
  ) -> Bool {
    var check = Self(of: operations, known: known)
    return check.search(0, model, isOver)
  }

  private mutating func search(_ done: UInt128, _ model: Model, _ isOver: (Model) -> Bool) -> Bool {
    // An operation can't precede one that ended before it began.
    var firstResponse = Int.max
    var count = 0
    for (index, operation) in operations.enumerated() where done & (1 << index) == 0 {
      firstResponse = min(firstResponse, operation.response)
      count += 1
    }
    if count == 0 { return isOver(model) }
    for (index, operation) in operations.enumerated() where done & (1 << index) == 0 {
      if operation.invocation > firstResponse { break }
      let after = done | 1 << index
      for next in results(of: operation, model) where tried.insert(Attempt(done: after, model: next)).inserted {
        if search(after, next, isOver) { return true }
      }
    }
    return false
  }

  private func results(of operation: Operation, _ model: Model) -> [Model] {
    guard let effect = operation.effect else { return [model] }
    return model.results(of: effect).filter {
      $0.version == model.version || (known[$0.version] ?? $0.content) == $0.content
    }
  }

  /// Whether two operations of different clients overlap.
  static func overlap(_ operations: [Operation]) -> Bool {
    let sorted = operations.filter { $0.effect != nil }.sorted { $0.invocation < $1.invocation }
    for (index, first) in sorted.enumerated() {
      for second in sorted[(index + 1)...] {
        if second.invocation > first.response { break }
        if second.client != first.client { return true }
      }
    }
    return false
  }
}
