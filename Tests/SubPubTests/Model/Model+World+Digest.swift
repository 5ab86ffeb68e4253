import SubPub
import Synchronization

extension Model.World {
  /// Everything that the rest of a run depends on, and who runs.
  func digest() -> UInt64 {
    var digest = Model.Digest()
    digest.add(inTurn.map { place(of: $0) } ?? -1)
    digest.add(running >= 0 && isReady(running) ? place(of: running) : -1)
    digest.add(owners)
    digest.add(ledger.states)
    for (number, object) in objects.enumerated() {
      digest.add(object != nil)
      digest.add(ledger.isAlive(.subscriber, number))
    }
    for subject in subjects {
      subject.feed(&digest)
      digest.add(ledger.isAlive(.closure, subject.number))
    }
    for thread in threads.indices where threads[thread].lane == nil { feed(thread, &digest) }
    // In the order of lanes, and not in that of their wakes.
    for number in subjects.indices {
      guard let track = tracks.first(where: { $0.number == number }) else { continue }
      digest.add(number)
      digest.add(track.drainer.map { threads[$0].isOver ? -1 : place(of: $0) } ?? -1)
      digest.add(track.ordinal)
      digest.add(track.subject)
      for thread in threads.indices where threads[thread].lane === track { feed(thread, &digest) }
    }
    registry.turn { feed($0, &digest) }
    return digest.value
  }

  /// Names a thread by what it does, so that the order in which drains were started doesn't matter.
  private func place(of thread: Int) -> Int {
    guard let lane = threads[thread].lane else { return thread }
    var place = 100 * (lane.number + 1)
    for other in threads[..<thread] where other.lane === lane && !other.isOver { place += 1 }
    return place
  }

  private func feed(_ thread: Int, _ digest: inout Model.Digest) {
    let thread = threads[thread]
    guard !thread.isOver else { return }
    digest.add(thread.calls.count)
    digest.add(thread.isResumed)
    for call in thread.calls { call.feed(&digest, self) }
  }

  private func feed(_ state: borrowing RegistryState, _ digest: inout Model.Digest) {
    digest.add(state.newest)
    digest.add(state.isEnded)
    digest.add(state.current != nil)
    digest.add(state.active)
    digest.add(state.endWaits.count)
    for wait in state.endWaits { digest.add(waiters[wait.waiter] ?? -1) }
    digest.add(state.holds.count)
    for hold in state.holds {
      digest.add(subject(of: hold.subscription)?.number ?? -1)
      digest.add(subject(of: hold.successor)?.number ?? -1)
      digest.add(track(hold.lane).number)
    }
    for index in state.lanes.indices { feed(state.lanes[index], &digest) }
  }

  private func feed(_ lane: borrowing Lane, _ digest: inout Model.Digest) {
    digest.add(track(lane.runner).number)
    digest.add(UInt64(lane.runner.signal.bits.load(ordering: .relaxed)))
    digest.add(lane.runner.newest)
    digest.add(lane.runner.fullAt)
    digest.add(lane.entries.count)
    digest.add(lane.active)
    digest.add(lane.firsts.active)
    digest.add(lane.firsts.unbounded)
    digest.add(lane.firsts.oldest)
    digest.add(lane.hasLostWindow)
    digest.add(lane.hasLostTaker)
    digest.add(lane.retiring)
    digest.add(lane.successors?.members.count ?? 0)
    for member in lane.successors?.members ?? [] {
      digest.add(subject(of: member.subscription)?.number ?? -1)
      digest.add(member.predecessors)
    }
    lane.successors?.missed.feed(&digest)
    digest.add(lane.isClosing)
    digest.add(lane.reader != nil)
    lane.pending.feed(&digest)
    digest.add(lane.parked != nil)
    lane.parked?.feed(&digest)
    digest.add(lane.waits.count)
    for wait in lane.waits {
      digest.add(waiters[wait.waiter] ?? -1)
      digest.add(wait.ordinal)
      digest.add(wait.limit)
    }
  }
}

extension Batch {
  func feed(_ digest: inout Model.Digest) {
    queue.feed(&digest)
    digest.add(current?.ordinal ?? 0)
    digest.add(next)
    digest.add(window?.count ?? -1)
    digest.add(dead)
  }
}

extension ItemQueue {
  func feed(_ digest: inout Model.Digest) {
    digest.add(count)
    digest.add(firstIsFrom)
    for index in 0..<count { digest.add(ordinal(at: index)) }
  }
}
