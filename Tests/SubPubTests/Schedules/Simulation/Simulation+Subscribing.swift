import SubPub

/// What clients do with subscriptions.
extension Simulation {
  /// A new subscriber, or with `replacing` the one of that subscription once more.
  @discardableResult
  func subscribe(
    on context: Context, _ buffering: BufferingPolicy = .unbounded, replacing old: SimulatedSubscription? = nil,
    reaction: ((Simulation) -> Void)? = nil
  ) -> SimulatedSubscription? {
    guard let publisher else { return nil }
    let inbox: Inbox
    if let old {
      guard old.inbox.subscriber != nil else { return nil }
      inbox = old.inbox
    } else {
      inbox = makeInbox()
      inbox.subscriber = StandInSubscriber(self, number: inbox.number)
      inbox.reaction = reaction
    }
    var made: SimulatedSubscription?
    perform(.subscribe, inbox.number) {
      let member = makeMember(inbox, on: context, buffering)
      made = member
      member.subscribedFrom = scheduler.trace.events.count
      guard let subscriber = inbox.subscriber else { return nil }
      for old in inbox.members { old.mayHaveEnded = true }
      inbox.members.append(member)
      member.subscription = publisher.subscribe(
        subscriber, on: context.context, buffering: buffering, ifDuplicate: .replace)
      member.subscribedUpTo = scheduler.trace.events.count
      return .join(member: member.number, replay: nil)
    }
    return made
  }

  func makeInbox() -> Inbox {
    let inbox = Inbox(number: inboxes.count)
    inboxes.append(inbox)
    return inbox
  }

  func makeMember(_ inbox: Inbox, on context: Context, _ buffering: BufferingPolicy) -> SimulatedSubscription {
    let member = SimulatedSubscription(number: members.count, inbox: inbox, context: context, buffering: buffering)
    member.mayHaveEnded = context.isGone
    members.append(member)
    return member
  }

  func cancel(_ member: SimulatedSubscription?) {
    guard let member, let subscription = member.subscription else { return }
    perform(.cancel, member.number) {
      let invocation = scheduler.trace.events.count - 1
      let isOnContext = member.context.isSerial && member.context.isRunningHere
      let deliveredBefore = subscription.statistics.delivered
      let outcome = subscription.cancel()
      note(
        outcome, of: member, since: invocation, isOnContext, deliveredBefore: deliveredBefore,
        pending: subscription.statistics.pending)
      // How many were put in is known when the delivery under way has ended.
      return outcome == .alreadyCancelled ? nil : .leave(member: member.number, put: -1)
    }
  }

  private func note(
    _ outcome: CancelOutcome, of member: SimulatedSubscription, since invocation: Int, _ isOnContext: Bool,
    deliveredBefore: Int, pending: Int
  ) {
    let response = scheduler.note(.cancel, member.number, outcome.code)
    member.cancels.append(
      SimulatedSubscription.Cancel(
        outcome: outcome, invocation: invocation, response: response, strand: scheduler.running?.number ?? -1,
        isOnContext: isOnContext, deliveredBefore: deliveredBefore, pending: pending))
  }

  func unsubscribe(_ member: SimulatedSubscription?) {
    guard let publisher, let member, let subscriber = member.inbox.subscriber else { return }
    perform(.unsubscribe, member.inbox.number) {
      for member in member.inbox.members { member.mayHaveEnded = true }
      scheduler.note(.unsubscribe, member.inbox.number, publisher.unsubscribe(subscriber).code)
      return nil
    }
  }

  /// Lets the subscriber go; it dies at once, or when the delivery under way has ended.
  func letGo(_ member: SimulatedSubscription?) {
    guard let inbox = member?.inbox, inbox.subscriber != nil else { return }
    scheduler.operation {
      scheduler.step(at: Scheduler.subscribers)
      inbox.letGoAt = scheduler.note(.letGo, inbox.number)
      inbox.subscriber = nil
    }
    scheduler.point()
  }

  /// Lets an actor go that is a context; its subscriptions end with it.
  func letGo(_ context: Context) {
    scheduler.operation {
      scheduler.step(at: Scheduler.subscribers)
      for member in members where member.context === context { member.mayHaveEnded = true }
      context.letActorGo()
    }
    scheduler.point()
  }
}

extension CancelOutcome {
  fileprivate var code: Int {
    switch self {
    case .quiescent: 0
    case .inFlight: 1
    case .reentrant: 2
    case .alreadyCancelled: 3
    }
  }
}
