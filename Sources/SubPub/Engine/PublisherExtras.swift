/// What few publishers have: in one object, so that it costs the others one word.
@usableFromInline
package final class PublisherExtras: Sendable {
  /// The clock for paces (2.12); nil for the continuous one.
  let clock: (any Clock<Duration>)?

  /// Returns nil if there is nothing extra.
  static func of(clock: any Clock<Duration>) -> PublisherExtras? {
    clock is ContinuousClock ? nil : PublisherExtras(clock: clock)
  }

  private init(clock: any Clock<Duration>) { self.clock = clock }
}
