/// What the families of a publisher's manager want to know: whether anybody listens (5.19).
///
/// A listener is an open subscription that doesn't belong to a `DirectorySubscription`. Those listen to everything, so
/// families would keep every manager for as long as their directory.
struct ListenerNotices {
  /// Called outside every turn, on the thread that has subscribed, cancelled, or found a subscriber dead.
  ///
  /// Calls may overtake each other: the one with the highest number tells the truth.
  typealias Notify = @Sendable (_ isListenedTo: Bool, _ number: UInt64) -> Void

  var isListenedTo: Bool
  var number: UInt64 = 0
  var receivers: [ObjectIdentifier: Notify] = [:]
}

extension RegistryState {
  private var isListenedTo: Bool { !isEnded && openCount > partCount }

  /// Adds a receiver; returns what it has to know if anybody listens already.
  mutating func addNotice(for id: ObjectIdentifier, _ notify: @escaping ListenerNotices.Notify) -> UInt64? {
    if notices == nil { notices = ListenerNotices(isListenedTo: isListenedTo) }
    notices?.receivers[id] = notify
    return notices.flatMap { $0.isListenedTo ? $0.number : nil }
  }

  /// Calls the receivers if the first listener has arrived, or the last one has left.
  @inline(never)
  mutating func noteListeners(_ effects: inout Effects) {
    let isListenedTo = isListenedTo
    guard let last = notices, last.isListenedTo != isListenedTo else { return }
    let number = last.number + 1
    notices?.isListenedTo = isListenedTo
    notices?.number = number
    for notify in last.receivers.values { effects.call { notify(isListenedTo, number) } }
  }
}

extension PublisherRegistry {
  /// Has a family told whether anybody listens, from now on.
  nonisolated func addNotice(for id: ObjectIdentifier, _ notify: @escaping ListenerNotices.Notify) {
    if let number = turn({ $0.addNotice(for: id, notify) }) { notify(true, number) }
  }

  nonisolated func removeNotice(for id: ObjectIdentifier) {
    let removed = turn { $0.notices?.receivers.removeValue(forKey: id) }
    withExtendedLifetime(removed) {}
  }
}
