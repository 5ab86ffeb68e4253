/// Looks for an order of concurrent operations that a single register could have served one at a time, each at a moment
/// between its begin and its end (Wing, Gong; with Lowe's memory of what has been tried).
struct Linearizability {
  private let operations: [ClientCall]
  private let known: [UInt64: Content]
  private var tried: Set<Attempt> = []

  private struct Attempt: Hashable {
    let done: UInt64
    let register: Register
  }

  /// At most 64 operations that have an effect.
  init(of operations: [ClientCall], known: [UInt64: Content] = [:]) {
    self.operations = operations.filter { $0.effect != nil }.sorted { $0.invocation < $1.invocation }
    self.known = known
    precondition(self.operations.count <= 64, "A history has more operations than there are bits")
  }

  /// Whether there is such an order.
  mutating func holds(members: Int) -> Bool {
    tried.removeAll(keepingCapacity: true)
    return search(0, Register(members: members))
  }

  private mutating func search(_ done: UInt64, _ register: Register) -> Bool {
    // Nothing may come before what had ended when it began.
    var firstResponse = Int.max
    var count = 0
    for (index, operation) in operations.enumerated() where done & (1 << index) == 0 {
      firstResponse = min(firstResponse, operation.response)
      count += 1
    }
    if count == 0 { return true }
    for (index, operation) in operations.enumerated() where done & (1 << index) == 0 {
      if operation.invocation > firstResponse { break }
      guard let effect = operation.effect, let next = register.applying(effect, known: known) else { continue }
      let after = done | 1 << index
      guard tried.insert(Attempt(done: after, register: next)).inserted else { continue }
      if search(after, next) { return true }
    }
    return false
  }
}

extension [ClientCall] {
  /// Whether two operations of different clients overlap.
  var overlap: Bool {
    let sorted = sorted { $0.invocation < $1.invocation }
    for (index, first) in sorted.enumerated() {
      for second in sorted[(index + 1)...] {
        if second.invocation > first.response { break }
        if second.client != first.client { return true }
      }
    }
    return false
  }
}
