/// Searches for an order in which a register could have served concurrent operations one at a time.
///
/// Each is served at a moment between its begin and its end (Wing and Gong, with Lowe's memory of earlier attempts).
struct Linearizability {
  struct Operation {
    /// The strand that made it.
    var client = -1
    let invocation: Int
    var response: Int
    /// A change of the register, or something that the operation has learned about it; nil if there is none.
    var effect: Register.Effect?
  }

  private struct Attempt: Hashable {
    let done: UInt128
    let register: Register
  }

  private let operations: [Operation]
  private let known: [UInt64: Content]
  private var tried: Set<Attempt> = []

  /// Takes at most 128 operations with an effect; `known` are the contents that subscribers have seen, by version.
  private init(of operations: [Operation], known: [UInt64: Content]) {
    self.operations = operations.filter { $0.effect != nil }.sorted { $0.invocation < $1.invocation }
    self.known = known
    precondition(self.operations.count <= 128, "A history has more operations than there are bits")
  }

  /// Whether there is such an order that begins with the register.
  static func holds(_ operations: [Operation], known: [UInt64: Content] = [:], from register: Register) -> Bool {
    var check = Self(of: operations, known: known)
    return check.search(0, register)
  }

  private mutating func search(_ done: UInt128, _ register: Register) -> Bool {
    // An operation can't precede one that ended before it began.
    var firstResponse = Int.max
    var count = 0
    for (index, operation) in operations.enumerated() where done & (1 << index) == 0 {
      firstResponse = min(firstResponse, operation.response)
      count += 1
    }
    if count == 0 { return true }
    for (index, operation) in operations.enumerated() where done & (1 << index) == 0 {
      if operation.invocation > firstResponse { break }
      let after = done | 1 << index
      for next in results(of: operation, register) where tried.insert(Attempt(done: after, register: next)).inserted {
        if search(after, next) { return true }
      }
    }
    return false
  }

  private func results(of operation: Operation, _ register: Register) -> [Register] {
    guard let effect = operation.effect else { return [register] }
    return register.results(of: effect).filter {
      $0.version == register.version || (known[$0.version] ?? $0.content) == $0.content
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
