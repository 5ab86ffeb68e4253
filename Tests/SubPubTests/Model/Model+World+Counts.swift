import SubPub

extension Model.World {
  /// After each step: a lane of bounded buffers holds no more than the widest of them, what a drain has in hand included.
  private func checkBounds() {
    for track in tracks {
      var limits: [Int] = []
      for subject in subjects where subject.track === track {
        guard let bounds = subject.subscription?.bounds, bounds.rule == .newest else { return }
        limits.append(bounds.limit)
      }
      guard track.runner.index >= 0, let widest = limits.max() else { continue }
      var held = registry.turn { state in
        let lane = state.lanes[track.runner.index]
        return lane.pending.count + (lane.parked?.queue.count ?? 0)
      }
      for thread in threads {
        for call in thread.calls { held += (call as? Model.DrainCall)?.count(in: track) ?? 0 }
      }
      if held > widest { fail("2.04: lane \(track.number) holds \(held) states, and its bounds are \(limits)") }
    }
  }

  /// After each step: what was put in is accounted for (rule 2.04).
  func checkCounts() {
    checkBounds()
    for subject in subjects {
      guard let subscription = subject.subscription else { continue }
      let statistics = subscription.statistics
      let (number, reading) = (subject.number, subscription.gate.reading)
      if statistics.delivered != subject.count {
        fail("2.04: \(number) counts \(statistics), it got \(subject.count)")
      }
      if let limit = subscription.bounds?.limit, statistics.highWater > limit {
        fail("2.04: \(statistics.highWater) were pending for \(number)")
      }
      // A delivery that has passed the gate and not looked again counts, also after a cancel.
      let position = subscription.position(at: reading)
      let newest = max(subscription.gate.closedAt ?? subject.track?.runner.newest ?? 0, position)
      let put = Int(newest - subscription.joinedAfter)
      let all = statistics.delivered + statistics.skipped + statistics.pending + (reading.isUnderWay ? 1 : 0)
      if put != all { fail("2.04: \(put) were put in for \(number), and \(all) are counted") }
      if subscription.bounds == nil, subscription.gate.closedAt == nil, statistics.skipped > 0 {
        fail("2.04: \(number) skips and has no bound")
      }
    }
  }
}
