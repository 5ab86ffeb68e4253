import SubPub

/// Versions strictly increase, without a gap where nothing may be skipped (rules 1.02, 2.01); deliveries never overlap
/// (2.02) and end; none begins after the death of the subscriber (2.05).
struct OrderCheck {
  private(set) var problems: [String] = []

  init(_ inbox: Inbox) {
    let isAlone = inbox.members.count == 1
    for (before, after) in zip(inbox.deliveries, inbox.deliveries.dropFirst()) {
      if before.end.map({ $0 > after.begin }) ?? true {
        problems.append("2.02: two deliveries to \(inbox.number) at once, at \(after.begin)")
      }
      // A replacement is replayed what the one before it may have had.
      if isAlone ? after.version <= before.version : after.version < before.version {
        problems.append("1.02: version \(after.version) after \(before.version) to \(inbox.number), at \(after.begin)")
      }
      if isAlone, inbox.members[0].buffering == .unbounded, after.version != before.version + 1 {
        problems.append("2.01: a gap before version \(after.version) to \(inbox.number), at \(after.begin)")
      }
    }
    for delivery in inbox.deliveries {
      if delivery.end == nil { problems.append("2.02: a delivery to \(inbox.number) doesn't end") }
      if let died = inbox.diedAt, delivery.begin > died {
        problems.append("2.05: a delivery to \(inbox.number) after its death, at \(delivery.begin)")
      }
    }
  }
}
