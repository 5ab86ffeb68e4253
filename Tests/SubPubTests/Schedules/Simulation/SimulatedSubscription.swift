import SubPub

/// One subscription of a simulation, or one iterator.
final class SimulatedSubscription {
  struct Cancel {
    let outcome: CancelOutcome
    let invocation: Int
    let response: Int
    let strand: Int
    /// Whether it was called on the subscription's own serial context.
    let isOnContext: Bool
    let deliveredBefore: Int
    let pending: Int
  }

  let number: Int
  let inbox: Inbox
  let context: Context
  let buffering: BufferingPolicy
  var subscription: Subscription?
  /// When its subscribe began, and when it returned.
  var subscribedFrom = 0
  var subscribedUpTo = Int.max
  var cancels: [Cancel] = []
  /// It may have been ended by something other than its own cancels: a replacement, or `unsubscribe`.
  var mayHaveEnded = false

  /// Of an iterator: what it gave, and what its counts were in the end.
  var taken: [Content] = []
  var counts: Subscription.Statistics?
  var task: Task<Void, Never>?
  /// Its task was cancelled.
  var isLeaving = false

  init(number: Int, inbox: Inbox, context: Context, buffering: BufferingPolicy) {
    self.number = number
    self.inbox = inbox
    self.context = context
    self.buffering = buffering
  }

  var isSequence: Bool { task != nil || counts != nil }
}
