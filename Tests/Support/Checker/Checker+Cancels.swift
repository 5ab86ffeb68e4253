import SubPub

/// The outcome of a cancel, and whether it was true (section 3).
extension Checker {
  func checkCancels(_ subscription: SubscriptionHistory) {
    let name = subscription.name
    let deciding = subscription.cancels.count { $0.isDeciding }
    expect(deciding <= 1, "3.02", "\(deciding) cancels found it active, of \(name)")
    for cancel in subscription.cancels {
      expect(
        !cancel.mustBeInFlight || cancel.answer == .outcome(.inFlight), "3.02",
        "\(cancel.answer) while a delivery was active elsewhere, of \(name)")
      let pending = cancel.pendingAfter ?? 0
      expect(pending == 0, "2.04", "\(pending) pending after a cancel, \(cancel.answer), of \(name)")
      switch cancel.answer {
      case .outcome(.inFlight):
        expect(!cancel.isOnOwnContext, "3.03", "inFlight on its own context, of \(name)")
      case .outcome(.alreadyCancelled):
        let isExplained =
          min(subscription.death ?? .max, subscription.mayHaveEndedSince ?? .max) <= cancel.span.end
          || subscription.cancels.contains { $0.mayHaveEnded && $0.span.begin <= cancel.span.end }
        expect(isExplained, "3.02", "alreadyCancelled, but no cancel had ended it, of \(name)")
      default: break
      }
      if !subscription.sharesDeliveries, subscription.replacements == 0 { checkSilence(after: cancel, subscription) }
    }
  }

  /// Checks that the deliveries around the cancel, and after it, are as its outcome says.
  private func checkSilence(after cancel: CancelRecord, _ subscription: SubscriptionHistory) {
    let name = subscription.name
    let around = subscription.delivery(around: cancel)
    let end = subscription.deliveries.last?.end ?? 0
    let late = subscription.deliveries.suffix(2).count { $0.end > cancel.span.end }
    switch cancel.answer {
    case .outcome(.quiescent):
      expect(end <= cancel.span.end, "3.02", "a delivery after a quiescent cancel, of \(name)")
      expect(around == nil, "3.02", "quiescent inside a delivery, of \(name)")
    case .outcome(.inFlight):
      expect(late <= 1, "3.02", "\(late) deliveries after an inFlight cancel, of \(name)")
      expect(around == nil, "3.02", "inFlight inside a delivery, of \(name)")
      // The active delivery may find that its subscriber has died.
      let hasDelivered = subscription.deliveries.count > cancel.deliveredBefore ?? 0 || subscription.mayHaveDied
      expect(hasDelivered, "3.02", "inFlight without a delivery, of \(name)")
    case .outcome(.reentrant):
      expect(around != nil, "3.02", "reentrant outside a delivery, of \(name)")
      expect(around ?? end == end, "3.02", "a delivery after a reentrant cancel, of \(name)")
    case .outcome(.alreadyCancelled):
      expect(late <= 1, "3.02", "\(late) deliveries after it was cancelled, of \(name)")
    case .waited:
      expect(end <= cancel.span.end, "3.04", "a delivery after cancelAndWait, of \(name)")
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
        let isComplete = subscription.policy != .unbounded || served.map { $0 >= version } ?? false
        expect(!isLate && isComplete, "3.07", "drain at \(version) returned too soon, of \(subscription.name)")
      }
    }
  }
}

extension CancelRecord {
  /// A later cancel may find the subscription ended by this one.
  fileprivate var mayHaveEnded: Bool { isDeciding || answer == .waited }

  /// The outcome says that this cancel has ended the subscription.
  fileprivate var isDeciding: Bool {
    switch answer {
    case .outcome(let outcome): outcome != .alreadyCancelled
    case .waited: false
    }
  }
}

extension SubscriptionHistory {
  fileprivate var mayHaveDied: Bool { isReleased || death != nil || contextDeath != nil }

  /// The end of the delivery that contains the cancel, on the same thread.
  fileprivate func delivery(around cancel: CancelRecord) -> UInt64? {
    var (low, high) = (0, deliveries.count)
    while low < high {
      let middle = (low + high) / 2
      if deliveries[middle].begin <= cancel.span.begin { low = middle + 1 } else { high = middle }
    }
    guard low > 0 else { return nil }
    let delivery = deliveries[low - 1]
    return delivery.thread == cancel.thread && delivery.end >= cancel.span.end ? delivery.end : nil
  }
}
