/// What all copies of one iterator share; when the last one goes, the subscription does.
final class StateReader: Sendable {
  let subscription: Subscription
  private let registry: PublisherRegistry
  /// The subscriber that the subscription holds weakly.
  private let presence = Presence()

  private final class Presence: Sendable {}

  init(_ registry: PublisherRegistry, buffering: BufferingPolicy, iteratorType: Any.Type) {
    self.registry = registry
    subscription = registry.subscribe(
      Enrolment(presence, ofType: iteratorType, as: .handler, on: .iteration, buffering: buffering) {
        _, _ in
      })
  }

  deinit { subscription.cancel() }

  func next() async -> (any Stamped)? { await registry.next(subscription) }
}
