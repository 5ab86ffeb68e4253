/// Searches for an order in which a model could have served concurrent operations one at a time.
///
/// Each is served at a moment between its begin and its end (Wing and Gong, with Lowe's memory of earlier attempts).
struct Linearizability<Model: Hashable, Effect> {
  struct Operation {
    let invocation: Int
    let response: Int
    let effect: Effect
  }

  private struct Attempt: Hashable {
    let done: UInt128
    let model: Model
  }

  private let operations: [Operation]
  private let apply: (Effect, Model) -> [Model]
  private var tried: Set<Attempt> = []

  /// Takes at most 128 operations; `apply` returns the models that an effect may lead to, none if it can't happen now.
  init(of operations: [Operation], applying apply: @escaping (Effect, Model) -> [Model]) {
    self.operations = operations.sorted { $0.invocation < $1.invocation }
    self.apply = apply
    precondition(operations.count <= 128, "A history has more operations than there are bits")
  }

  /// Whether there is such an order that begins with a model and ends with one that `isOver` accepts.
  mutating func holds(from model: Model, isOver: (Model) -> Bool = { _ in true }) -> Bool {
    tried.removeAll(keepingCapacity: true)
    return search(0, model, isOver)
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
      for next in apply(operation.effect, model) {
        guard tried.insert(Attempt(done: after, model: next)).inserted else { continue }
        if search(after, next, isOver) { return true }
      }
    }
    return false
  }
}

extension Linearizability<Register, ClientCall.Effect> {
  /// Takes the calls that have an effect; `known` are the contents that subscribers have seen, by version.
  init(of calls: [ClientCall], known: [UInt64: Content] = [:]) {
    self.init(
      of: calls.compactMap { call in
        call.effect.map { Operation(invocation: call.invocation, response: call.response, effect: $0) }
      }
    ) { effect, register in
      register.applying(effect, known: known).map { [$0] } ?? []
    }
  }

  mutating func holds(members: Int) -> Bool { holds(from: Register(members: members)) }
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
