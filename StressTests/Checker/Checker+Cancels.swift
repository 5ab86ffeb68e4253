import SubPub

/// What a cancel said, and whether it was so (section 3).
extension Checker {
  func checkCancels(_ history: History) {
    let deciding = history.cancels.count { $0.isDeciding }
    expect(deciding <= 1, "3.02", "\(deciding) cancels found it active, of \(history.name)")
    for cancel in history.cancels {
      let around = history.delivery(around: cancel)
      let end = history.deliveries.last?.end ?? 0
      expect(
        !cancel.mustBeInFlight || cancel.answer == .outcome(.inFlight), "3.02",
        "\(cancel.answer) while a delivery was under way elsewhere, of \(history.name)")
      switch cancel.answer {
      case .outcome(.quiescent):
        expect(end <= cancel.span.end, "3.02", "delivered after a quiescent cancel, of \(history.name)")
        expect(around == nil, "3.02", "quiescent inside a delivery, of \(history.name)")
      case .outcome(.inFlight):
        let late = history.deliveries.suffix(2).count { $0.end > cancel.span.end }
        expect(late <= 1, "3.02", "\(late) deliveries after an inFlight cancel, of \(history.name)")
        // The delivery under way may find that its subscriber has died meanwhile.
        let hasEnded = !history.deliveries.isEmpty || history.death != nil
        expect(hasEnded, "3.02", "inFlight, but nothing was delivered, of \(history.name)")
        expect(around == nil, "3.02", "inFlight inside a delivery, of \(history.name)")
        expect(!cancel.isOnOwnContext, "3.03", "inFlight on its own context, of \(history.name)")
      case .outcome(.reentrant):
        expect(around != nil, "3.02", "reentrant outside a delivery, of \(history.name)")
        expect(around ?? end == end, "3.02", "delivered after a reentrant cancel, of \(history.name)")
      case .outcome(.alreadyCancelled):
        let isExplained =
          history.isReleased || history.death != nil || history.hasEndedOtherwise
          || history.cancels.contains { $0.mayHaveEnded && $0.span.begin <= cancel.span.end }
        expect(isExplained, "3.02", "alreadyCancelled, but nobody had, of \(history.name)")
      case .waited:
        expect(end <= cancel.span.end, "3.04", "delivered after cancelAndWait, of \(history.name)")
      }
    }
  }

  /// Everyone who was there when `drain()` was called has been served when it returns (3.07).
  func checkDrains() {
    for drain in course.drains {
      // A task notes a state after `next()` has returned: what it notes comes later than the delivery.
      for history in course.histories where history.isLasting && !history.face.isSequence {
        guard history.joining.end <= drain.span.begin else { continue }
        let late = history.deliveries.contains { $0.version <= drain.version && $0.end > drain.span.end }
        expect(!late, "3.07", "drain at \(drain.version) returned too soon, of \(history.name)")
      }
    }
  }
}

extension CancelRecord {
  /// A later cancel may find it ended by this one.
  fileprivate var mayHaveEnded: Bool { isDeciding || answer == .waited }

  /// It says that it has ended the subscription.
  var isDeciding: Bool {
    switch answer {
    case .outcome(let outcome): outcome != .alreadyCancelled
    case .waited: false
    }
  }
}

extension History {
  /// When the delivery ended inside of which the cancel was called.
  func delivery(around cancel: CancelRecord) -> UInt64? {
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
