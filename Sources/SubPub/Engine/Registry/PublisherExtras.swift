/// What few publishers have: in one object, so that it costs the others one word.
@usableFromInline
package final class PublisherExtras: Sendable {
  /// The clock for paces (2.12); nil for the continuous one.
  let clock: (any Clock<Duration>)?
  /// What deliveries see of the publishing task (2.10).
  let propagated: [PropagatedContext]
  /// Whether deliveries see what the publications carry that have caused theirs, at a derived publisher.
  private let handsOn: Bool
  /// How many publications are kept besides the current one (6.05).
  let history: Int
  /// Reports events (7.04).
  let reporter: EventReporter?

  /// Returns nil if there is nothing extra.
  static func of(
    clock: any Clock<Duration>, history: Int, propagating contexts: [PropagatedContext],
    instrumentation: (any Instrumentation)?
  ) -> PublisherExtras? {
    if history < 0 { stopForMisuse("history is \(history), but no fewer publications than none can be kept") }
    let clock = clock is ContinuousClock ? nil : clock
    if clock == nil, contexts.isEmpty, history == 0, instrumentation == nil { return nil }
    return PublisherExtras(clock, contexts, history, instrumentation.map(EventReporter.init))
  }

  private init(
    _ clock: (any Clock<Duration>)?, _ propagated: [PropagatedContext] = [], handsOn: Bool = false, _ history: Int = 0,
    _ reporter: EventReporter? = nil
  ) {
    (self.clock, self.propagated, self.handsOn) = (clock, propagated, handsOn)
    (self.history, self.reporter) = (history, reporter)
  }

  /// What a publisher has that is derived from others with these extras; nil if that is nothing.
  @usableFromInline
  static func forDerived(from sources: [PublisherExtras?], handsOn: Bool = false) -> PublisherExtras? {
    let clock = sources.lazy.compactMap { $0?.clock }.first
    let handsOn = handsOn || sources.contains { $0?.hasValues ?? false }
    return clock == nil && !handsOn ? nil : PublisherExtras(clock, handsOn: handsOn)
  }

  /// Whether publications may carry values that deliveries are to see.
  private var hasValues: Bool { handsOn || !propagated.isEmpty }

  /// Reads the values that a state is to carry; foreign code, so not inside a turn.
  func capture() -> Carried? { propagated.isEmpty ? nil : Carried(values: propagated.map { $0.capture() }) }

  /// Reports the subscription, and returns the subscriber's code with what the publisher does around each delivery; in
  /// the turn in which it begins.
  func begin(_ subscription: Subscription, _ deliver: @escaping Deliver, _ effects: inout Effects) -> Deliver {
    var deliver = deliver
    if let reporter {
      let backlog = EventReporter.Backlog()
      if reporter.add(.subscribed(subscription, backlog)) { effects.report(reporter) }
      deliver = reporter.deliver(to: subscription, backlog, deliver)
    }
    // A derived publisher takes the values from the state, because it may make its transition later.
    if hasValues, !subscription.interface.isDerivation {
      let next = deliver
      deliver = { subscriber, state in state.provideCarried { next(subscriber, state) } }
    }
    return deliver
  }
}
