import SubPub

extension Model {
  /// One subscription, as planned, and what the checks remember of it.
  final class Subject {
    let number: Int
    let plan: Plan
    var subscription: Subscription?
    var track: Track?
    /// Deliveries that have ended, and the ordinal of the last that began.
    var count = 0
    var last: UInt64 = 0
    var isUnderWay = false
    /// After its end: the one state whose delivery may still begin, having passed the gate before; 0 is none.
    var mayBegin: UInt64?
    /// Somebody ended it, not its publisher.
    var isCancelled = false
    /// Its closure has to be gone when a round of a later state begins in its lane.
    var releasedAfter: UInt64?

    init(_ number: Int, _ plan: Plan) {
      self.number = number
      self.plan = plan
    }

    func feed(_ digest: inout Digest) {
      digest.add(number)
      digest.add(last)
      digest.add(count)
      digest.add(isUnderWay)
      digest.add(mayBegin ?? .max)
      digest.add(isCancelled)
      digest.add(releasedAfter ?? .max)
      guard let subscription else { return }
      digest.add(subscription.gate.reading.bits)
      digest.add(subscription.gate.closedAt ?? 0)
      digest.add(subscription.slot)
      if let bounds = subscription.bounds {
        digest.add(bounds.delivered)
        digest.add(bounds.last)
        digest.add(bounds.fullAt)
        for ordinal in bounds.window.waiting { digest.add(ordinal) }
        digest.add(bounds.window.seen)
      }
    }
  }

  /// How an object subscribes.
  struct Plan {
    var object: Int
    var delivery: Delivery
    /// The object that the context is, and dies with.
    var actor: Int?
    var buffering = BufferingPolicy.unbounded
    var ifDuplicate = DuplicatePolicy.allow
    /// It is there from the start.
    var isPresent = true
    /// What its code does, by the ordinal of the state that it is called with.
    var script: [UInt64: [Action]] = [:]
  }
}
