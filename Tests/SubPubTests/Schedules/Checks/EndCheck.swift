import SubPub

/// Who stayed to the end had the last state, also when it was pending as the publisher went (rules 1.03, 3.06, 6.03).
struct EndCheck {
  private(set) var problems: [String] = []

  init(_ member: SimulatedSubscription, newest: UInt64) {
    let inbox = member.inbox
    let stayed = member.cancels.isEmpty && !member.mayHaveEnded && inbox.letGoAt == nil && !member.isLeaving
    guard stayed, inbox.members.count == 1 || member.isSequence else { return }
    let last = member.isSequence ? member.counts?.lastVersion : inbox.deliveries.last?.version
    if last != newest {
      problems.append("3.06: the last version of \(member.number) is \(last.map(String.init) ?? "none"), not \(newest)")
    }
  }
}
