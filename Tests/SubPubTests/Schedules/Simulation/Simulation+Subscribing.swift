import Support

#if DEBUG
  @testable import SubPub
#else
  import SubPub
#endif

/// Operations of clients on subscriptions.
extension Simulation {
  /// Subscribes a new subscriber, or with `replacing` the one of that subscription again.
  func subscribe(
    _ name: String = "", on context: Context, _ buffering: BufferingPolicy = .unbounded, replacing old: String? = nil,
    reaction: Step? = nil
  ) {
    guard let publisher else { return }
    let inbox: Inbox
    if let old {
      guard let old = named[old], old.inbox.subscriber != nil else { return }
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
      member.joining.begin = stamp(now)
      guard let subscriber = inbox.subscriber else { return nil }
      for old in inbox.members { old.mayEnd(at: now) }
      inbox.members.append(member)
      member.subscription = publisher.subscribe(
        subscriber, on: context.context, buffering: buffering, ifDuplicate: .replace)
      member.joining.end = stamp(now)
      return .join(member: member.number, replay: nil)
    }
    named[name] = made
  }

  /// Follows the publisher as derived publishers do, which begin one version later than others.
  func follow() {
    #if DEBUG
      guard let publisher else { return }
      perform(.follow) {
        let (subscription, _) = publisher.registry.follow(as: Void.self) { _, _ in
        } finished: {
        }
        followers.append(subscription)
        return nil
      }
    #endif
  }

  /// Begins to follow the numbers of subscriptions.
  func followCounts() {
    guard let publisher else { return }
    perform(.follow) {
      counts.append(publisher.subscriberCounts.makeAsyncIterator())
      return nil
    }
  }

  /// The next step.
  private var now: Int { scheduler.trace.events.count }

  func makeInbox() -> Inbox {
    let inbox = Inbox(number: inboxes.count)
    inboxes.append(inbox)
    return inbox
  }

  func makeMember(_ inbox: Inbox, on context: Context, _ buffering: BufferingPolicy) -> SimulatedSubscription {
    let member = SimulatedSubscription(number: members.count, inbox: inbox, context: context, buffering: buffering)
    if context.isGone { member.mayEnd(at: now) }
    members.append(member)
    return member
  }

  func cancel(_ member: SimulatedSubscription?) {
    guard let member, let subscription = member.subscription else { return }
    perform(.cancel, member.number) {
      let begin = stamp(now - 1)
      let isOnOwnContext = member.context.isSerial && member.context.isRunningHere
      let deliveredBefore = subscription.statistics.delivered
      let outcome = subscription.cancel()
      let pending = subscription.statistics.pending
      let end = stamp(scheduler.note(.cancel, member.number, outcome.code))
      var record = CancelRecord(
        span: Span(begin: begin, end: end), answer: .outcome(outcome), thread: UInt32(scheduler.running?.number ?? 0))
      // A bounded subscription counts a delivery just before its end.
      record.deliveredBefore = member.buffering == .unbounded ? deliveredBefore : nil
      (record.isOnOwnContext, record.pendingAfter) = (isOnOwnContext, pending)
      member.cancels.append(record)
      // How many states it received is known after the delivery that is in flight.
      return outcome == .alreadyCancelled ? nil : .leave(member: member.number, received: nil)
    }
  }

  func unsubscribe(_ member: SimulatedSubscription?) {
    guard let publisher, let member, let subscriber = member.inbox.subscriber else { return }
    perform(.unsubscribe, member.inbox.number) {
      for member in member.inbox.members { member.mayEnd(at: now) }
      scheduler.note(.unsubscribe, member.inbox.number, publisher.unsubscribe(subscriber).code)
      return nil
    }
  }

  /// Releases the subscriber, which dies at once, or after the delivery that is in flight.
  func release(_ member: SimulatedSubscription?) {
    guard let inbox = member?.inbox, inbox.subscriber != nil else { return }
    scheduler.operation {
      scheduler.step(at: Scheduler.subscribers)
      for member in inbox.members { member.mayEnd(at: now) }
      scheduler.note(.release, inbox.number)
      inbox.isReleased = true
      inbox.subscriber = nil
    }
    scheduler.point()
  }

  /// Releases an actor that is a context, and whose subscriptions end with it.
  func release(_ context: Context) {
    scheduler.operation {
      scheduler.step(at: Scheduler.subscribers)
      for member in members where member.context === context { member.mayEnd(at: now) }
      context.releaseActor()
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
