/// Searches for an order in which a single register could have served concurrent operations one at a time.
///
/// Each is served at a moment between its begin and its end (Wing and Gong, with Lowe's memory of earlier attempts).
struct Linearizability {
  private let operations: [ClientCall]
  private let known: [UInt64: Content]
  private var tried: Set<Attempt> = []

  private struct Attempt: Hashable {
    let done: UInt64
    let register: Register
  }

  /// Takes at most 64 operations that have an effect.
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

/// The sequential model of a publisher: its content, its version, and the first versions of its subscriptions.
struct Register: Hashable {
  var version: UInt64 = 0
  var content = Content.unknown
  /// For each subscription one more than its first version, and 0 before it begins.
  private var joined: [UInt64]

  init(members: Int) { joined = Array(repeating: 0, count: members) }

  /// The register after the effect, or nil if it can't have that effect now.
  ///
  /// `known` are the contents that subscribers have seen, by version.
  func applying(_ effect: ClientCall.Effect, known: [UInt64: Content]) -> Register? {
    var next = self
    switch effect {
    case .write(let change):
      next.version += 1
      next.content = content.changed(by: change)
    case .update(let from, let to, let version):
      guard content == from, self.version + 1 == version else { return nil }
      next.version += 1
      next.content = to
    case .read(let version, let content):
      return self.version == version && self.content == content ? self : nil
    case .readContent(let content):
      return self.content == content ? self : nil
    case .join(let member, let replay):
      guard replay == nil || replay == version else { return nil }
      next.joined[member] = version + 1
    case .leave(let member, let received):
      // It has received everything from its first version to the current one.
      return joined[member] > 0 && joined[member] + UInt64(received) == version + 2 ? self : nil
    }
    if next.version != version, let seen = known[next.version], seen != next.content { return nil }
    return next
  }
}
