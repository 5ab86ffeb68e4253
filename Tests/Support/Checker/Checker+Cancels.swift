import SubPub

/// The outcome of a cancel, and whether it was true; what a drain has waited for (section 3).
extension Checker {
  func checkCancels(_ subscription: SubscriptionHistory) {
    let deciding = subscription.cancels.count { ![.waited, .outcome(.alreadyCancelled)].contains($0.answer) }
    expect(deciding <= 1, "3.02", "\(deciding) cancels found it active", of: subscription)
    for cancel in subscription.cancels {
      let isInFlight = cancel.answer == .outcome(.inFlight)
      expect(
        !cancel.mustBeInFlight || isInFlight, "3.02", "\(cancel.answer) while a delivery was active elsewhere",
        of: subscription)
      expect(!cancel.isOnOwnContext || !isInFlight, "3.03", "inFlight on its own context", of: subscription)
      let pending = cancel.pendingAfter ?? 0
      expect(pending == 0, "2.04", "\(pending) pending after a cancel, \(cancel.answer)", of: subscription)
      if cancel.answer == .outcome(.alreadyCancelled) {
        let end = min(subscription.death ?? .max, subscription.mayHaveEndedSince ?? .max)
        let isExplained =
          end <= cancel.span.end
          || subscription.cancels.contains {
            $0.answer != .outcome(.alreadyCancelled) && $0.span.begin <= cancel.span.end
          }
        expect(isExplained, "3.02", "alreadyCancelled, but no cancel had ended it", of: subscription)
      }
      if !subscription.sharesDeliveries, subscription.replacements == 0 { checkSilence(after: cancel, subscription) }
    }
  }

  /// Checks that the deliveries around the cancel, and after it, are as its outcome says.
  private func checkSilence(after cancel: CancelRecord, _ subscription: SubscriptionHistory) {
    let around = subscription.delivery(around: cancel)
    let end = subscription.deliveries.last?.end ?? 0
    let late = subscription.deliveries.suffix(2).count { $0.end > cancel.span.end }
    switch cancel.answer {
    case .outcome(.quiescent):
      expect(end <= cancel.span.end, "3.02", "a delivery after a quiescent cancel", of: subscription)
      expect(around == nil, "3.02", "quiescent inside a delivery", of: subscription)
    case .outcome(.inFlight):
      expect(late <= 1, "3.02", "\(late) deliveries after an inFlight cancel", of: subscription)
      expect(around == nil, "3.02", "inFlight inside a delivery", of: subscription)
      // The active delivery may find that its subscriber has died.
      let mayHaveDied = subscription.isReleased || subscription.death != nil || subscription.contextDeath != nil
      let hasDelivered = subscription.deliveries.count > cancel.deliveredBefore ?? 0
      expect(hasDelivered || mayHaveDied, "3.02", "inFlight without a delivery", of: subscription)
    case .outcome(.reentrant):
      expect(around != nil, "3.02", "reentrant outside a delivery", of: subscription)
      expect(around ?? end == end, "3.02", "a delivery after a reentrant cancel", of: subscription)
    case .outcome(.alreadyCancelled):
      expect(late <= 1, "3.02", "\(late) deliveries after it was cancelled", of: subscription)
    case .waited: expect(end <= cancel.span.end, "3.04", "a delivery after cancelAndWait", of: subscription)
    }
  }

  /// When `drain()` returns, all subscriptions that existed at the call have been served (3.07).
  func checkDrains() {
    for (version, span) in history.drains {
      for subscription in history.subscriptions where subscription.isActive(until: span.end) {
        // A task records a state after `next()` has returned, which is later than the delivery.
        guard !subscription.interface.isSequence, subscription.joining.end <= span.begin else { continue }
        guard !subscription.sharesDeliveries, subscription.replacements == 0 else { continue }
        let isLate = subscription.deliveries.contains { $0.version <= version && $0.end > span.end }
        let served = subscription.deliveries.last { $0.end <= span.end }?.version
        let isComplete = !subscription.policy.skipsNothing || served.map { $0 >= version } ?? false
        expect(!isLate && isComplete, "3.07", "drain at \(version) returned too soon", of: subscription)
      }
    }
  }
}

extension SubscriptionHistory {
  /// The end of the delivery that contains the cancel, on the same thread.
  fileprivate func delivery(around cancel: CancelRecord) -> UInt64? {
    let delivery = deliveries.last { $0.begin <= cancel.span.begin }
    return delivery.flatMap { $0.thread == cancel.thread && $0.end >= cancel.span.end ? $0.end : nil }
  }
}
