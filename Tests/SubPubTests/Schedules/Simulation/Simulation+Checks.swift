import SubPub
import Support

/// What the contract says of a history, when no strand can go on.
extension Simulation {
  /// Checks everything before the publisher is released.
  func checkAtRest() {
    if let publisher { checkCounts(publisher.subscriberCount) }
    problems += Checker.check(history(isOver: false)).map(\.description)
    let writes = operations.filter { $0.effect?.isWrite == true }.map(\.response)
    for member in members {
      checkBound(of: member, writes)
      checkEnd(of: member)
    }
    for inbox in inboxes where inbox.deliveries.contains(where: { $0.end == .max }) {
      problems.append("2.02: a delivery to \(inbox.number) doesn't end")
    }
    // The current state may have an error and previous data.
    if livePayloads > 2 { problems.append("3.05: at rest \(livePayloads) payloads are kept") }
    completeEffects()
    if !Linearizability.holds(operations, known: known, from: Register(members: members.count)) {
      problems.append("2.01, 1.02: the history is not linearizable")
    }
  }

  /// After the publisher was released, checks that everything has ended, and that nothing is kept.
  func checkAtEnd() {
    checkCounts(0)
    if openTasks > 0 { problems.append("3.04, 3.07, 6.03: \(openTasks) tasks never end") }
    if hasJob { problems.append("a job is left") }
    for member in members where member.subscription?.isActive == true {
      problems.append("3.06: member \(member.number) outlives its publisher")
    }
    if problems.isEmpty { problems += Checker.check(history(isOver: true)).map(\.description) }
    if livePayloads > 0 { problems.append("3.05: nothing uses \(livePayloads) payloads, and they are kept") }
  }

  /// Checks that the last of the numbers that were followed is the present one.
  private func checkCounts(_ count: Int) {
    for index in counts.indices {
      var last: Int?
      while let next = counts[index].takePending() {
        if next == last { problems.append("2.05: the number \(next) comes twice in a row") }
        last = next
      }
      if let last, last != count { problems.append("2.05: \(count) listen, and the last number is \(last)") }
    }
  }

  /// Checks that a state is skipped if it was superseded before its gate (2.04).
  ///
  /// The transitions returned at the steps `writes`.
  private func checkBound(of member: SimulatedSubscription, _ writes: [Int]) {
    guard let bound = member.buffering.bound, member.inbox.members.count == 1, !member.isSequence else { return }
    for delivery in member.inbox.deliveries {
      // The delivery passed its gate after the last event of the same strand.
      let events = scheduler.trace.events[..<Int(delivery.begin - 1)]
      let before = events.lastIndex { $0.strand == delivery.thread } ?? 0
      let newest = writes.count { $0 < before }
      if Int(delivery.version) + bound <= newest {
        problems.append("2.04: version \(delivery.version) to \(member.number), when \(newest) had been published")
      }
    }
  }

  /// Checks that a laggard ended with one more pending state than its limit, and everybody at a finished publisher
  /// (2.11, 3.09).
  private func checkEnd(of member: SimulatedSubscription) {
    if finishedAt != nil, member.subscription?.isActive == true || (member.isSequence && member.counts == nil) {
      problems.append("3.09: member \(member.number) goes on")
    }
    // A delivery that was under way to a dead subscriber counts as pending again.
    guard member.fellBehind, member.inbox.members.count == 1, member.inbox.diedAt == nil,
      let bound = member.buffering.bound
    else { return }
    let skipped = (member.subscription?.statistics ?? member.counts)?.skipped ?? 0
    if skipped != bound + 1 { problems.append("2.11: member \(member.number) ends with \(skipped) pending") }
  }

  /// The content of each version, as subscribers saw it.
  private var known: [UInt64: Content] {
    var known: [UInt64: Content] = [:]
    for inbox in inboxes {
      for (delivery, content) in zip(inbox.deliveries, inbox.contents) {
        let version = UInt64(delivery.version)
        if let other = known.updateValue(content, forKey: version), other != content {
          problems.append("1.02: version \(version) was \(other) and \(content)")
        }
      }
    }
    return known
  }

  /// Adds what is known only at the end: the first version of a subscription, and how many it received.
  private func completeEffects() {
    for index in operations.indices {
      switch operations[index].effect {
      case .join(let number, nil):
        let inbox = members[number].inbox
        guard inbox.members.count == 1, members[number].buffering.skipsNothing, let first = inbox.deliveries.first
        else { continue }
        operations[index].effect = .join(member: number, replay: UInt64(first.version))
      case .leave(let number, nil):
        // A laggard was ended by a publish, and not by this.
        let member = members[number]
        operations[index].effect =
          member.fellBehind ? nil : member.received.map { .leave(member: number, received: $0) }
      default: break
      }
    }
    // A subscription that is still active has received everything.
    let end = scheduler.trace.events.count
    for member in members where member.subscription?.isActive == true {
      guard let received = member.received else { continue }
      operations.append(
        Operation(invocation: end, response: end, effect: .leave(member: member.number, received: received)))
    }
  }
}

extension SimulatedSubscription {
  /// How many states its buffer received, according to its statistics at rest.
  fileprivate var received: Int? {
    (subscription?.statistics ?? counts).map { $0.delivered + $0.skipped + $0.pending }
  }
}
