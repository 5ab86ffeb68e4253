import Synchronization

/// Those who want to know whether anybody listens to a publisher.
///
/// A listener is an open subscription. Those of a `DirectorySubscription`, which listens to everything, don't count for
/// everybody.
struct ListenerNotices {
  /// Called outside every turn, on the thread that has subscribed, cancelled, or found a subscriber dead.
  ///
  /// By then somebody else may have come or left, so whoever is called asks for the last notice.
  typealias Notify = @Sendable () -> Void

  struct Receiver {
    let countsParts: Bool
    let notify: Notify
    var isListenedTo = false
    /// The number of the last notice.
    var number: UInt64 = 0
  }

  var receivers: [ObjectIdentifier: Receiver] = [:]
}

extension RegistryState {
  /// Calls the receivers for which the first listener has arrived, or the last one has left.
  @inline(never)
  mutating func noteListeners(_ effects: inout Effects) {
    guard let receivers = notices?.receivers else { return }
    for (id, receiver) in receivers {
      let isListenedTo = isListenedTo(countingParts: receiver.countsParts)
      guard receiver.isListenedTo != isListenedTo else { continue }
      notices?.receivers[id]?.isListenedTo = isListenedTo
      notices?.receivers[id]?.number += 1
      effects.call(receiver.notify)
    }
  }

  private func isListenedTo(countingParts: Bool) -> Bool {
    !isEnded && openCount > (countingParts ? 0 : partCount)
  }

  /// The last notice for a receiver.
  func notice(for id: ObjectIdentifier) -> (isListenedTo: Bool, number: UInt64)? {
    notices?.receivers[id].map { ($0.isListenedTo, $0.number) }
  }

  /// Adds a receiver; returns whether anybody listens already.
  fileprivate mutating func add(_ receiver: ListenerNotices.Receiver, for id: ObjectIdentifier) -> Bool {
    var receiver = receiver
    receiver.isListenedTo = isListenedTo(countingParts: receiver.countsParts)
    if notices == nil { notices = ListenerNotices() }
    notices?.receivers[id] = receiver
    return receiver.isListenedTo
  }

  /// The first open subscription.
  fileprivate var firstListener: Subscription? {
    guard openCount > 0 else { return nil }
    for lane in lanes where lane.openCount > 0 { if let first = lane.subscriptions.firstOpen { return first } }
    return nil
  }
}

extension PublisherRegistry {
  /// Has somebody told whether anybody listens, from now on.
  nonisolated func addNotice(
    for id: ObjectIdentifier, countingParts: Bool, _ notify: @escaping ListenerNotices.Notify
  ) {
    let receiver = ListenerNotices.Receiver(countsParts: countingParts, notify: notify)
    if turn({ $0.add(receiver, for: id) }) { notify() }
  }

  /// Whether anybody listens, as a receiver of notices sees it.
  nonisolated func isListenedTo(for id: ObjectIdentifier) -> Bool { turn { $0.notice(for: id)?.isListenedTo ?? false } }

  nonisolated func removeNotice(for id: ObjectIdentifier) {
    let removed = turn { $0.notices?.receivers.removeValue(forKey: id) }
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
