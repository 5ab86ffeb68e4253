/// What few publishers have: in one object, so that it costs the others one word.
@usableFromInline
package final class PublisherExtras: Sendable {
  /// The clock for paces (2.12); nil for the continuous one.
  let clock: (any Clock<Duration>)?
  /// What deliveries see of the publishing task (2.10).
  let propagated: [PropagatedContext]
  /// How many publications are kept besides the current one (6.05).
  let history: Int
  /// Reports events (7.04).
  let reporter: EventReporter?

  /// Returns nil if there is nothing extra.
  static func of(
    clock: any Clock<Duration>, history: Int = 0, propagating contexts: [PropagatedContext] = [],
    instrumentation: (any Instrumentation)? = nil
  ) -> PublisherExtras? {
    if history < 0 { stopForMisuse("history is \(history), but no fewer publications than none can be kept") }
    let clock = clock is ContinuousClock ? nil : clock
    if clock == nil, contexts.isEmpty, history == 0, instrumentation == nil { return nil }
    return PublisherExtras(clock, contexts, history, instrumentation.map(EventReporter.init))
  }

  private init(
    _ clock: (any Clock<Duration>)?, _ propagated: [PropagatedContext], _ history: Int, _ reporter: EventReporter?
  ) {
    (self.clock, self.propagated, self.history, self.reporter) = (clock, propagated, history, reporter)
  }

  /// What a publisher has that is derived from one with these extras; nil if that is nothing.
  @usableFromInline
  var forDerived: PublisherExtras? {
    clock == nil && propagated.isEmpty ? nil : PublisherExtras(clock, propagated, 0, nil)
  }

  /// Reads the values that a state is to carry; foreign code, so not inside a turn.
  func capture() -> Carried? { propagated.isEmpty ? nil : Carried(values: propagated.map { $0.capture() }) }

  /// Returns the subscriber's code with what the publisher does around each delivery.
  func deliver(to subscription: Subscription, _ deliver: @escaping Deliver) -> Deliver {
    var deliver = deliver
    if let reporter { deliver = reporter.deliver(to: subscription, deliver) }
    // A derived publisher takes the values from the state, because it may make its transition later.
    if !propagated.isEmpty, !subscription.interface.isDerivation {
      let next = deliver
      deliver = { subscriber, state in state.provideCarried { next(subscriber, state) } }
    }
    return deliver
  }
}
