/// An object that holds the state of one load and broadcasts every change of it.
///
/// A new publisher is ``LoadState/unknown`` at version 0, or, with an initial value, ``LoadState/loaded(_:)`` at
/// version 1. Every transition increases the version by one, even if the new state equals the old one (1.01). All
/// subscribers see the transitions in the same order (1.02). A new subscriber receives the current state first and then
/// every later one (2.01).
///
/// ```swift
/// let news = Publisher<[String]>(label: "news")
/// news.subscribe(screen) { screen, state in screen.title = "\(state)" }
/// news.startLoading()
/// news.updateData(["one", "two"])
/// ```
///
/// Subscribers are held weakly (2.05). You can call every operation that isn't `async` from any thread, task, or actor
/// (1.06); none of them waits for a subscriber (1.05). When the publisher is finished or released, pending states are
/// still delivered, and then its subscriptions and sequences end (3.06, 3.09).
public final class Publisher<Value: Sendable>: Sendable {
  @usableFromInline let registry: PublisherRegistry
  @usableFromInline let freshness: Freshness?

  /// Creates a publisher.
  ///
  /// - Parameters:
  ///   - label: A name for logs and debuggers.
  ///   - staleAfter: How long loaded data counts as fresh; nil if it never becomes stale.
  ///   - clock: Measures `staleAfter` and the intervals of ``BufferingPolicy/latest(every:)``. Read while no lock is
  ///     held, and only for one of these (5.06).
  ///   - initial: The value to begin with, which counts as new: the publisher is then `loaded` at version 1. Without
  ///     one, it is ``LoadState/unknown`` at version 0 (1.01).
  ///   - history: How many publications are kept besides the current one, for clients that come back: see
  ///     ``StatePublisher/publications(after:buffering:label:)`` (6.05). `reset()` clears them.
  ///   - contexts: Task-local values: each delivery sees those of the task that has published its state (2.10).
  ///   - instrumentation: Is told what happens, for logs and metrics (7.04).
  /// - Precondition: Neither `staleAfter` nor `history` is negative.
  public convenience init(
    label: String? = nil, staleAfter: Duration? = nil, clock: any Clock<Duration> = ContinuousClock(),
    initial: Value? = nil, history: Int = 0, propagating contexts: [PropagatedContext] = [],
    instrumentation: (any Instrumentation)? = nil
  ) {
    self.init(
      label: label, freshness: staleAfter.map { Freshness(staleAfter: $0, clock: clock) }, clock: clock,
      history: history, propagating: contexts, instrumentation: instrumentation)
    if let initial { updateData(initial) }
  }

  /// Creates a publisher that measures ages even if its data never becomes stale.
  package convenience init(
    label: String?, staleAfter: Duration?, measuringAgesBy clock: any Clock<Duration>, history: Int,
    _ instrumentation: (any Instrumentation)?
  ) {
    self.init(
      label: label, freshness: Freshness(staleAfter: staleAfter, clock: clock), clock: clock, history: history,
      instrumentation: instrumentation)
  }

  /// Creates a publisher whose data becomes stale as `freshness` says.
  convenience init(
    label: String?, freshness: Freshness?, clock: any Clock<Duration>, history: Int = 0,
    propagating contexts: [PropagatedContext] = [], instrumentation: (any Instrumentation)? = nil,
    schedulingPoints: SchedulingPoint.Maker = SchedulingPoint.Maker()
  ) {
    self.init(
      label: label, freshness: freshness,
      .of(clock: clock, history: history, propagating: contexts, instrumentation: instrumentation),
      schedulingPoints: schedulingPoints)
  }

  /// Creates a publisher that measures ages as another one does.
  @usableFromInline
  convenience init(label: String?, freshness: Freshness?, _ extras: PublisherExtras?) {
    self.init(label: label, freshness: freshness, extras, schedulingPoints: SchedulingPoint.Maker())
  }

  /// Creates a publisher with scheduling points, for tests that decide which thread runs next.
  init(label: String?, freshness: Freshness?, _ extras: PublisherExtras?, schedulingPoints: SchedulingPoint.Maker) {
    let id = PublisherID(label: label)
    self.freshness = freshness
    registry = PublisherRegistry(
      id, initial: Publication<Value>(.unknown, source: id, provenance: nil), extras, schedulingPoints: schedulingPoints
    )
  }

  /// Turns off the timer that looks for dead subscribers, for tests in which a seed decides everything.
  package func neverLookForDead() { registry.turn { $0.isLookingForDead = true } }

  #if DEBUG
    /// Creates a publisher with scheduling points.
    package convenience init(
      staleAfter: Duration?, clock: any Clock<Duration>, schedulingPoints: SchedulingPoint.Maker
    ) {
      self.init(
        label: nil, freshness: staleAfter.map { Freshness(staleAfter: $0, clock: clock) }, clock: clock,
        schedulingPoints: schedulingPoints)
    }
  #endif

  deinit { registry.release() }
}

/// The end.
extension Publisher {
  /// Ends the publisher: what is pending is still delivered, and then all subscriptions and sequences end (3.09).
  ///
  /// From now on every transition is dropped: it makes no version, and nobody hears of it. The last state can still be
  /// read, and whoever subscribes now receives it and ends. A manager's load or stream is cancelled and publishes
  /// nothing. Publishers that are derived from this one finish as soon as all of their sources have.
  ///
  /// A server calls it when it shuts down, so that the loops over its clients' sequences end by themselves. Then wait
  /// for those that matter: with ``Subscription/ended()``, or with ``StatePublisher/drain(within:clock:)``.
  ///
  /// Call it from any thread, from inside any callback, and as often as you like; it never waits (1.06).
  public func finish() { registry.finish() }
}

extension Publisher: StatePublisher {
  /// What reading and subscribing need of this publisher.
  @inlinable public var _access: StateAccess<Value> {
    @inline(__always) get { StateAccess(registry, freshness) }
  }
}

extension Publisher: CustomStringConvertible {
  /// The label, the version, and the state, for logs.
  public var description: String { "Publisher<\(Value.self)>(\(current))" }
}
