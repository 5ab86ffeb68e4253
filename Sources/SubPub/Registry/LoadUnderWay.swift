/// What a publisher knows of a manager's load: who waits for it, and what to go back to.
///
/// There is at most one, and every transition but its own and `publish()` ends it (rule 5.04).
struct LoadUnderWay {
  enum Kind: Sendable {
    /// All of the data, or its first page.
    case whole
    /// One more page.
    case page
  }

  let load: Load
  let kind: Kind
  /// The state before it, made anew and not stamped yet: published when the last waiter gives up (rule 5.05).
  var before: any Stamped
  private(set) var waiters: [WaiterID] = []
  /// Somebody wants it who can't be cancelled.
  private(set) var isKept = false

  init(_ load: Load, _ kind: Kind, before: any Stamped) {
    self.load = load
    self.kind = kind
    self.before = before
  }

  /// Nobody is left who wants it.
  var isUnwanted: Bool { waiters.isEmpty && !isKept }

  /// Whether it serves who wants that. The first page is the next one for those who have none.
  func serves(_ wanted: Kind) -> Bool { kind == wanted || wanted == .page }

  /// One more wants it: nil for somebody who doesn't wait.
  mutating func add(_ waiter: WaiterID?) {
    if let waiter { waiters.append(waiter) } else { isKept = true }
  }

  /// False when it isn't one of its waiters.
  mutating func remove(_ waiter: WaiterID) -> Bool {
    guard let index = waiters.firstIndex(of: waiter) else { return false }
    waiters.remove(at: index)
    return true
  }
}
