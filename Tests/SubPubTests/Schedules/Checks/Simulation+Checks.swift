import SubPub

/// What the contract says of a history, when nobody can go on any more.
extension Simulation {
  /// Before the publisher goes: convergence, counts, and everything that was seen.
  func checkAtRest() {
    let writes = writes
    for inbox in inboxes {
      problems += inbox.problems
      problems += OrderCheck(inbox).problems
    }
    for member in members {
      problems += CancelCheck(member, releasedAt: releasedAt).problems
      problems += CountCheck(member, newest: publisher?.current.version).problems
      problems += BoundCheck(member, writes: writes, trace: scheduler.trace).problems
    }
    problems += LaneCheck(members).problems
    for inbox in inboxes where inbox.letGoAt != nil && inbox.diedAt == nil {
      problems.append("2.05: the subscriber \(inbox.number) was let go of, and lives")
    }
    // Of the current state there may be an error and previous data.
    if livePayloads > 2 { problems.append("3.05: at rest \(livePayloads) payloads are kept") }
    fillIn()
    let effects = operations.filter { $0.effect != nil }
    var check = Linearizability(of: effects, known: known)
    if !check.holds(members: members.count) { problems.append("2.01, 1.02: the history is not linearizable") }
  }

  /// After the publisher was released: everything has ended, and nothing is kept.
  func checkAtEnd() {
    if openTasks > 0 { problems.append("3.04, 3.07, 6.03: \(openTasks) tasks wait for ever") }
    if hasJob { problems.append("a job is left") }
    for member in members where member.subscription?.isActive == true {
      problems.append("3.06: member \(member.number) outlives its publisher")
    }
    for member in members { problems += EndCheck(member, newest: UInt64(writes.count)).problems }
    if let all { for member in members where member.isSequence { problems += SequenceCheck(member, of: all).problems } }
    if livePayloads > 0 { problems.append("3.05: \(livePayloads) payloads are kept by nobody") }
  }

  /// Which content each version had, as it was seen.
  private var known: [UInt64: Content] {
    var known: [UInt64: Content] = [:]
    for inbox in inboxes {
      for delivery in inbox.deliveries {
        if let other = known[delivery.version], other != delivery.content {
          problems.append("1.02: version \(delivery.version) was \(other) and \(delivery.content)")
        }
        known[delivery.version] = delivery.content
      }
    }
    return known
  }

  /// When each transition returned.
  private var writes: [Int] { operations.filter { $0.effect?.isWrite == true }.map(\.response) }

  /// Every content from the first version to the last, where all were seen.
  private var all: [Content]? {
    let all = known.sorted { $0.key < $1.key }.map(\.value)
    return all.count == writes.count + 1 ? all : nil
  }

  /// What only the end of a history tells: with which version a subscription began, and how many it was given.
  private func fillIn() {
    for index in operations.indices {
      switch operations[index].effect {
      case .join(let number, nil):
        let inbox = members[number].inbox
        // Later ones of the same object can't be told from the first.
        guard inbox.members.count == 1, members[number].buffering == .unbounded, let first = inbox.deliveries.first
        else { continue }
        operations[index].effect = .join(member: number, replay: first.version)
      case .leave(let number, -1):
        operations[index].effect = members[number].put.map { .leave(member: number, put: $0) }
      default: break
      }
    }
    // Who is still there has been given everything.
    let end = scheduler.trace.events.count
    for member in members where member.subscription?.isActive == true {
      guard let put = member.put else { continue }
      operations.append(
        ClientCall(client: -1, invocation: end, response: end, effect: .leave(member: member.number, put: put)))
    }
  }
}

extension SimulatedSubscription {
  /// How many states were put into its buffer, as its counts say when nothing is under way.
  fileprivate var put: Int? {
    (subscription?.statistics ?? counts).map { $0.delivered + $0.skipped + $0.pending }
  }
}
