import SubPub

/// A sequence gave what was published, in order, and all of it if unbounded (rules 6.01, 6.03).
struct SequenceCheck {
  private(set) var problems: [String] = []

  /// `all` is every content from the first version to the last.
  init(_ member: SimulatedSubscription, of all: [Content]) {
    guard let counts = member.counts else { return }
    if counts.delivered != member.taken.count {
      problems.append("2.04: the sequence \(member.number) counts \(counts), and gave \(member.taken.count)")
    }
    let fits = (0...all.count).contains { start in
      var rest = all[start...]
      for content in member.taken {
        guard let place = rest.firstIndex(of: content) else { return false }
        if member.buffering == .unbounded, place != rest.startIndex { return false }
        rest = rest[(place + 1)...]
      }
      return true
    }
    if !fits { problems.append("6.01: the sequence \(member.number) gave \(member.taken) of \(all)") }
  }
}
