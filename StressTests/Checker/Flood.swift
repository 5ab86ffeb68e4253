/// Whether a flooded lane lets others on the same queue have their turn. Counted in deliveries, not in time.
struct Flood: Sendable {
  /// When each delivery of the flooded lanes began, on one queue.
  var begins: [UInt64] = []
  /// A state for somebody else on that queue: when its publish had returned, and when it was delivered.
  var others: [Span] = []
  /// How many deliveries of the flood may come first: some hand-backs, of each lane that floods.
  var allowance = 0

  func check() -> [Violation] {
    let sorted = begins.sorted()
    let worst = others.map { count(sorted, before: $0.end) - count(sorted, before: $0.begin) }.max() ?? 0
    guard worst > allowance else { return [] }
    return [Violation(rule: "2.08", text: "\(worst) deliveries of a flood came first, \(allowance) may")]
  }

  private func count(_ sorted: [UInt64], before moment: UInt64) -> Int {
    var (low, high) = (0, sorted.count)
    while low < high {
      let middle = (low + high) / 2
      if sorted[middle] < moment { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
