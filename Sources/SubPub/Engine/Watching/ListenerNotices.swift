import Synchronization

/// Somebody who is told when the first listener of a publisher has arrived, and when the last one has left, or of every
/// one that arrives or leaves.
///
/// A listener is an open subscription.
struct ListenerNotices {
  /// Whether subscriptions to everything in a directory count as well.
  let countsParts: Bool
  /// Whether every arrival and departure counts, and the publisher's end.
  var tellsEach = false
  /// Called outside every turn, on the thread that has subscribed, cancelled, or found a subscriber dead.
  ///
  /// By then somebody else may have come or left, so whoever is called asks for the last notice.
  let notify: @Sendable () -> Void
  /// What the last notice says, and its number.
  var isListenedTo = false
  var number: UInt64 = 0
}

extension RegistryState {
  /// Tells those for whom the first listener has arrived, or the last one has left.
  @inline(never)
  mutating func noteListeners(_ effects: inout Effects) {
    for (id, notices) in listenerNotices {
      let isListenedTo = isListenedTo(countingParts: notices.countsParts)
      guard notices.isListenedTo != isListenedTo || notices.tellsEach else { continue }
      listenerNotices[id]?.isListenedTo = isListenedTo
      listenerNotices[id]?.number += 1
      effects.call(notices.notify)
    }
  }

  /// Takes back the notices since some moment of this turn, if there are listeners again.
  mutating func takeBackNotices(since notices: [ObjectIdentifier: ListenerNotices]) {
    for (id, former) in notices where listenerNotices[id]?.isListenedTo == former.isListenedTo {
      listenerNotices[id]?.number = former.number
    }
  }

  fileprivate func isListenedTo(countingParts: Bool) -> Bool {
    !isFinished && subscribers.openCount > (countingParts ? 0 : subscribers.partCount)
  }

  /// The last notice for somebody.
  func notice(for id: ObjectIdentifier) -> (isListenedTo: Bool, number: UInt64)? {
    listenerNotices[id].map { ($0.isListenedTo, $0.number) }
  }

  /// The first open subscription.
  fileprivate var firstListener: Subscription? {
    guard subscribers.openCount > 0 else { return nil }
    return lanes.first { $0.inTurn.openCount > 0 }?.inTurn.subscriptions.firstOpen
  }
}

extension PublisherRegistry {
  /// Has somebody told whether anybody listens, from now on.
  nonisolated func addNotice(
    for id: ObjectIdentifier, countingParts: Bool, _ notify: @escaping @Sendable () -> Void
  ) {
    let isListenedTo = turn { state in
      let isListenedTo = state.isListenedTo(countingParts: countingParts)
      state.listenerNotices[id] = ListenerNotices(
        countsParts: countingParts, notify: notify, isListenedTo: isListenedTo)
      return isListenedTo
    }
    if isListenedTo { notify() }
  }

  /// Whether anybody listens, apart from subscriptions to everything in a directory.
  nonisolated var isListenedTo: Bool { turn { $0.isListenedTo(countingParts: false) } }

  /// Whether anybody listens who counts for the receiver of notices.
  nonisolated func isListenedTo(for id: ObjectIdentifier) -> Bool { turn { $0.notice(for: id)?.isListenedTo ?? false } }

  /// Has somebody told of every listener that arrives or leaves from now on, and of the end.
  nonisolated func addNoticeOfEach(for id: ObjectIdentifier, _ notify: @escaping @Sendable () -> Void) {
    turn { $0.listenerNotices[id] = ListenerNotices(countsParts: true, tellsEach: true, notify: notify) }
  }

  /// The number of listeners, or nil after the publisher's end.
  nonisolated var listenerCount: Int? { turn { $0.isFinished ? nil : $0.subscribers.openCount } }

  nonisolated func removeNotice(for id: ObjectIdentifier) {
    let removed = turn { $0.listenerNotices.removeValue(forKey: id) }
    withExtendedLifetime(removed) {}
  }

  /// Retires dead subscribers up to the first living one, if the publisher's owner wants that.
  ///
  /// Called before somebody joins: a subscriber that has died unnoticed is no listener, so whoever comes next may be
  /// the first.
  @inline(__always)
  nonisolated func retireDeadListeners() {
    if findsDeadListeners.load(ordering: .relaxed) { retireDeadListenersNow() }
  }

  @inline(never)
  private nonisolated func retireDeadListenersNow() {
    while let first = turn({ $0.firstListener }), !first.isAlive { retire([first]) }
  }
}
