/// Reports the events of one publisher to its instrumentation, in the order of the turns (7.04).
///
/// A turn adds events. The thread that finds nobody reporting reports them, and those that others add meanwhile.
final class EventReporter: Sendable {
  enum Event {
    case published(any BoxedPublication)
    case subscribed(Subscription)
    case ended(Subscription)
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
    case .subscribed(let subscription):
      instrumentation.subscribed(subscription, to: subscription.source)
    case .ended(let subscription):
      let skipped = subscription.unreportedSkips
      if skipped > 0 { instrumentation.skipped(skipped, by: subscription) }
      if let end = subscription.gate.end { instrumentation.ended(subscription, end) }
    }
  }
}

/// Deliveries, which are reported where they happen.
extension EventReporter {
  /// Returns the subscriber's code, which also reports each delivery.
  func deliver(to subscription: Subscription, _ deliver: @escaping Deliver) -> Deliver {
    return { [instrumentation] subscriber, state in
      guard let publication = state.publication else { return deliver(subscriber, state) }
      if let skipped = subscription.bounds?.skips(before: publication.version, from: subscription.firstVersion),
        skipped > 0
      {
        instrumentation.skipped(skipped, by: subscription)
      }
      let start = MonotonicTime.now
      deliver(subscriber, state)
      instrumentation.delivered(publication, to: subscription, took: start.duration(to: .now))
    }
  }

  /// Reports that an iterator has taken a state.
  func reportTaken(_ state: any BoxedPublication, by subscription: Subscription) {
    guard let publication = state.publication else { return }
    if let skipped = subscription.lane.iteration?.takeUnreportedSkips(), skipped > 0 {
      instrumentation.skipped(skipped, by: subscription)
    }
    state.provideCarried { instrumentation.delivered(publication, to: subscription, took: .zero) }
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

extension Bounds {
  /// The number of states that were skipped between the last delivery and that of a version, which begins.
  fileprivate func skips(before version: UInt64, from firstVersion: UInt64) -> Int {
    Int(version - (delivered > 0 ? lastVersion + 1 : firstVersion))
  }
}
