/// The callers of a load; joining and leaving cost the same for any number of them.
struct LoadCallers {
  /// The age below which a cached value satisfies a caller; nil if nothing but a load does.
  private typealias AcceptedAge = Duration?

  private var waiting: [WaiterID: AcceptedAge] = [:]
  /// The callers that don't wait, and so can't be cancelled: one entry for all of them, because they accept the same
  /// age.
  private var staying: [AcceptedAge] = []

  var isEmpty: Bool { waiting.isEmpty && staying.isEmpty }

  /// The callers that wait, in the order in which they came.
  var waiters: [WaiterID] { waiting.keys.sorted() }

  /// Whether a cached value of this age satisfies all callers.
  func accept(_ age: Duration) -> Bool {
    func isYoung(_ accepted: AcceptedAge) -> Bool { accepted.map { age < $0 } ?? false }
    return waiting.values.allSatisfy(isYoung) && staying.allSatisfy(isYoung)
  }

  /// Adds a caller; the waiter is nil if it doesn't wait.
  mutating func add(_ waiter: WaiterID?, accepting age: Duration?) {
    if let waiter {
      waiting.updateValue(age, forKey: waiter)
    } else if staying.isEmpty {
      staying.append(age)
    }
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
