/// The callers of a load; joining and leaving cost the same for any number of them.
struct LoadCallers {
  /// What satisfies each caller.
  private var waiting: [WaiterID: AcceptedValue] = [:]
  /// The callers that don't wait, and so can't be cancelled: one entry is enough, because all of them accept the same.
  private var staying: AcceptedValue?

  var isEmpty: Bool { waiting.isEmpty && staying == nil }

  /// The callers that wait, in the order in which they came.
  var waiters: [WaiterID] { waiting.keys.sorted() }

  /// Whether a cached value of this age satisfies all callers.
  func accept(_ age: Duration, isStale: Bool) -> Bool {
    func isAccepted(by caller: AcceptedValue) -> Bool {
      switch caller {
      case .none: false
      case .fresh: !isStale
      case .youngerThan(let limit): age < limit
      }
    }
    return waiting.values.allSatisfy(isAccepted) && (staying.map(isAccepted) ?? true)
  }

  /// Adds a caller; the waiter is nil if it doesn't wait.
  mutating func add(_ waiter: WaiterID?, accepting value: AcceptedValue) {
    if let waiter { waiting[waiter] = value } else { staying = staying ?? value }
  }

  /// Removes a waiter; returns false if it isn't one of the callers.
  mutating func remove(_ waiter: WaiterID) -> Bool { waiting.removeValue(forKey: waiter) != nil }

  /// The callers that don't wait.
  var withoutWaiters: LoadCallers {
    var kept = LoadCallers()
    kept.staying = staying
    return kept
  }
}
