import SubPub

/// Bounds and statistics (2.04).
extension Checker {
  func checkCounts(_ history: History) {
    let counts = history.readings + [history.settled, history.closing].compactMap { $0 }
    if let bound = history.policy.bound {
      for count in counts {
        expect(
          count.pending <= bound && count.highWater <= bound, "2.04",
          "\(count.pending) pending, at most \(count.highWater), with bound \(bound), of \(history.name)")
      }
    }
    if let settled = history.settled { checkSettled(settled, history) }
    if let closing = history.closing, history.face != .values, history.replacements == 0 {
      checkClosing(closing, history)
    }
  }

  private func checkSettled(_ counts: Counts, _ history: History) {
    expect(counts.pending == 0, "2.04", "\(counts.pending) pending at rest, of \(history.name)")
    expect(
      counts.delivered == history.deliveries.count, "2.04",
      "\(counts.delivered) counted, \(history.deliveries.count) delivered, of \(history.name)")
    guard let replay = history.replay else { return }
    if history.policy == .unbounded {
      expect(counts.skipped == 0, "2.01", "\(counts.skipped) skipped, of \(history.name)")
    }
    let put = counts.delivered + counts.skipped
    let (least, most) = (Int(states.last) - Int(replay.upperBound) + 1, Int(states.last) - Int(replay.lowerBound) + 1)
    expect(
      put >= least && put <= most, "2.04",
      "\(counts.delivered) delivered and \(counts.skipped) skipped, of \(least) to \(most), of \(history.name)")
    expect(counts.lastVersion == states.last, "2.04", "counts up to \(counts.lastVersion ?? 0), of \(history.name)")
  }

  private func checkClosing(_ counts: Counts, _ history: History) {
    expect(counts.pending == 0, "2.04", "\(counts.pending) pending after the end, of \(history.name)")
    expect(
      counts.delivered == history.deliveries.count, "2.04",
      "\(counts.delivered) counted, \(history.deliveries.count) delivered, of \(history.name)")
    guard let replay = history.replay else { return }
    let most = Int(states.last) - Int(replay.lowerBound) + 1
    expect(counts.delivered + counts.skipped <= most, "2.04", "more than \(most) were counted, of \(history.name)")
    expect(
      counts.lastVersion == history.deliveries.last?.version, "2.04",
      "counts up to \(counts.lastVersion ?? 0), of \(history.name)")
  }

  /// What was left when everything had waited: exactly what the policy keeps.
  func checkHeld(_ history: History) {
    guard let first = history.replay?.lowerBound else { return }
    let all = Array(first...states.last)
    let kept: [UInt32]
    switch history.policy {
    case .unbounded: kept = all
    case .latest: kept = all.suffix(1)
    case .newest(let count): kept = all.suffix(count)
    }
    let got = history.deliveries.map(\.version)
    expect(got == kept, "2.04", "got \(got.prefix(9)) of \(kept.prefix(9)), of \(history.name)")
  }
}
