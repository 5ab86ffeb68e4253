import Synchronization

/// Reports the events of one publisher to its instrumentation, in the order of the turns (7.04).
///
/// A turn adds events. The thread that finds nobody reporting reports them, and those that others add meanwhile.
/// Deliveries on contexts are reported where they happen, unless their subscription's beginning is still to be
/// reported.
final class EventReporter: Sendable {
  enum Event {
    case published(any BoxedPublication)
    case subscribed(Subscription, Backlog)
    case delivered(DeliveryReport, Backlog?)
    case ended(Subscription)
  }

  /// A delivery that has ended, before which others were skipped.
  struct DeliveryReport {
    let state: any BoxedPublication
    let publication: any AnyPublication
    let subscription: Subscription
    /// Zero if an iterator has taken the state.
    var took = Duration.zero
    let skipped: Int
  }

  /// How many events of a subscription's beginning are still to be reported; while there are any, so are its
  /// deliveries.
  final class Backlog: Sendable {
    private let count = Atomic<Int>(1)

    var isEmpty: Bool { count.load(ordering: .acquiring) == 0 }
    func add() { count.add(1, ordering: .relaxed) }
    func remove() { count.subtract(1, ordering: .releasing) }
  }

  private struct State {
    var events: [Event] = []
    var isReporting = false
  }

  let instrumentation: any Instrumentation
  private let state = Locked(State())

  init(_ instrumentation: any Instrumentation) { self.instrumentation = instrumentation }

  /// Adds an event, in its turn; returns whether the caller has to report after the turn.
  func add(_ event: Event) -> Bool {
    state.withLock { state in
      state.events.append(event)
      defer { state.isReporting = true }
      return !state.isReporting
    }
  }

  /// Reports events until there are no more.
  func report() {
    while let events = takeEvents() { events.forEach(report) }
  }

  private func takeEvents() -> [Event]? {
    state.withLock { state in
      if state.events.isEmpty {
        state.isReporting = false
        return nil
      }
      let events = state.events
      state.events = []
      return events
    }
  }

  private func report(_ event: Event) {
    switch event {
    case .published(let state):
      if let publication = state.publication { state.provideCarried { instrumentation.published(publication) } }
    case .subscribed(let subscription, let backlog):
      instrumentation.subscribed(subscription, to: subscription.source)
      backlog.remove()
    case .delivered(let delivery, let backlog):
      report(delivery)
      backlog?.remove()
    case .ended(let subscription):
      let skipped = subscription.unreportedSkips
      if skipped > 0 { instrumentation.skipped(skipped, by: subscription) }
      if let end = subscription.gate.reason { instrumentation.ended(subscription, end) }
    }
  }
}

/// Deliveries.
extension EventReporter {
  /// Returns the subscriber's code, which also reports each delivery.
  func deliver(to subscription: Subscription, _ backlog: Backlog, _ deliver: @escaping Deliver) -> Deliver {
    return { [self] subscriber, state in
      guard let publication = state.publication else { return deliver(subscriber, state) }
      let skipped = subscription.counts?.skips(before: publication.version, from: subscription.firstVersion) ?? 0
      let start = MonotonicTime.now
      deliver(subscriber, state)
      let delivery = DeliveryReport(
        state: state, publication: publication, subscription: subscription, took: start.duration(to: .now),
        skipped: skipped)
      if backlog.isEmpty { return report(delivery) }
      backlog.add()
      if add(.delivered(delivery, backlog)) { report() }
    }
  }

  private func report(_ delivery: DeliveryReport) {
    if delivery.skipped > 0 { instrumentation.skipped(delivery.skipped, by: delivery.subscription) }
    delivery.state.provideCarried {
      instrumentation.delivered(delivery.publication, to: delivery.subscription, took: delivery.took)
    }
  }
}

extension Subscription {
  /// The number of states that it has skipped since its last delivery; it has ended.
  fileprivate var unreportedSkips: Int {
    if let iteration = lane.iteration { return iteration.takeUnreportedSkips() }
    let statistics = statistics
    guard let last = statistics.lastVersion else { return statistics.skipped }
    return statistics.skipped - (Int(last + 1 - firstVersion) - statistics.delivered)
  }
}

extension DeliveryCounts {
  /// The number of states that were skipped between the last delivery and that of a version, which begins.
  fileprivate func skips(before version: UInt64, from firstVersion: UInt64) -> Int {
    Int(version - (delivered > 0 ? lastVersion + 1 : firstVersion))
  }
}
