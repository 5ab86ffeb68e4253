/// A manager that follows an asynchronous sequence while somebody listens, and publishes its elements.
///
/// The sequence can be a file that is being followed, a timer, a signal, or the messages of a server. The stream runs
/// once for any number of listeners. It begins with the first, ends `keepingAlive` after the last is gone, and starts
/// again the next time a first listener arrives (5.21). Every open subscription of ``publisher`` is a listener: an
/// object, a closure, an `observe`, a sequence that is being iterated, and the part of a
/// ``PublisherDirectory/subscribeToAll(_:on:buffering:label:)`` that belongs to this publisher. A publisher that is derived
/// from this one is a listener, too: the stream runs until it is released.
///
/// ```swift
/// let ticks = StreamManager(label: "ticks") {
///   AsyncStream<Int> { ticks in ticks.yield(1) }  // A timer, for example.
/// }
/// ticks.publisher.subscribe(screen) { screen, state in screen.title = "\(state)" }  // Begins the stream.
/// ticks.publisher.unsubscribe(screen)  // Ends it.
/// ```
///
/// The publisher changes to `loading`, with the data from before, when a run begins, and to `loaded` with each element.
/// The next element is asked for only after the previous one was published; publishing doesn't wait for subscribers
/// (1.05). No element is lost or repeated while the stream runs. Elements have the origin ``DataOrigin/loaded`` and no
/// age.
///
/// An error of the sequence, or of `stream`, is published with the previous data. Then `retry` decides: after its delay
/// the publisher changes to `loading`, and `stream` is called again. If no attempt is left, the run ends. When the
/// sequence ends, the last element stays, and the run ends. After that the stream starts again the next time a first
/// listener arrives, or with ``refreshIfNeeded()``. Every error counts as a failure, including `CancellationError`.
///
/// If a run ends before its first element, or while it tries again, the state from before its `loading` is published
/// again. A transition by hand ends the run, too, as it supersedes a load (5.04); `republish()` doesn't. So does
/// releasing the manager (5.09): keep the manager for as long as you want its elements.
///
/// A listener that dies without having been cancelled is noticed when the next element reaches its context, and when
/// subscribers are counted (2.05). You can call every operation from any thread, task, or actor.
public final class StreamManager<Value: Sendable>: Manager {
  /// The publisher of the elements.
  ///
  /// If you change its state yourself, you end the run; `republish()` doesn't end it.
  public let publisher: Publisher<Value>
  private let driver: StreamDriver<Value>

  /// Creates a manager that follows any asynchronous sequence.
  ///
  /// - Parameters:
  ///   - label: A name for logs and debuggers.
  ///   - keepingAlive: How long the stream goes on after the last listener is gone. If a listener arrives in that time,
  ///     it joins the run. With zero, the run has ended when the last subscription's cancel returns; with a hundred
  ///     years or more, it doesn't end.
  ///   - retry: Whether and when `stream` is called again after an error. It counts the errors since the last element,
  ///     so `maxAttempts` limits how often `stream` is called without one.
  ///   - clock: Measures `keepingAlive` and the delays between attempts. If it throws, the run ends.
  ///   - history: How many publications are kept besides the current one, for clients that come back (6.05).
  ///   - instrumentation: Is told what happens, for logs and metrics (7.04).
  ///   - stream: Makes the sequence, which only this manager iterates. Called once for each run and each attempt,
  ///     outside every actor, without the task-local values and the priority of the listeners. When a run ends, its
  ///     task is cancelled. If the sequence ignores that, the next run begins at once, but calls `stream` only when the
  ///     previous iterator is gone: two sequences never exist at once.
  /// - Precondition: `keepingAlive` isn't negative. Neither `stream` nor its sequence awaits an element of this manager
  ///   that isn't there yet: that would never end, so the program stops if the run's own task calls ``refresh()``, or
  ///   `value()` of the publisher. In child tasks of it, through a derived publisher, and in an iteration of the states,
  ///   this isn't noticed.
  public convenience init<Elements: AsyncSequence & SendableMetatype>(
    label: String? = nil, keepingAlive: Duration = .zero, retry: RetryPolicy = .never,
    clock: any Clock<Duration> = ContinuousClock(), history: Int = 0, instrumentation: (any Instrumentation)? = nil,
    stream: @escaping @Sendable () async throws -> Elements
  ) where Elements.Element == Value {
    self.init(
      label: label, keepingAlive: keepingAlive, retry: retry, clock: clock, history: history,
      instrumentation: instrumentation, executor: nil
    ) { receive in
      try await Self.follow(stream(), receive)
    }
  }

  /// Creates a manager that follows a sequence whose type isn't known statically.
  ///
  /// Its parameters are those of the initializer for any asynchronous sequence.
  @_disfavoredOverload
  public convenience init(
    label: String? = nil, keepingAlive: Duration = .zero, retry: RetryPolicy = .never,
    clock: any Clock<Duration> = ContinuousClock(), history: Int = 0, instrumentation: (any Instrumentation)? = nil,
    stream: @escaping @Sendable () async throws -> any AsyncSequence<Value, any Error> & Sendable
  ) {
    self.init(
      label: label, keepingAlive: keepingAlive, retry: retry, clock: clock, history: history,
      instrumentation: instrumentation, executor: nil
    ) { receive in
      try await Self.follow(stream(), receive)
    }
  }

  /// Creates a manager whose every step runs on an executor, for tests.
  package convenience init<Elements: AsyncSequence & SendableMetatype>(
    label: String? = nil, keepingAlive: Duration, retry: RetryPolicy, clock: any Clock<Duration>,
    executor: (any TaskExecutor)?, stream: @escaping @Sendable () async throws -> Elements
  ) where Elements.Element == Value {
    self.init(
      label: label, keepingAlive: keepingAlive, retry: retry, clock: clock, history: 0, instrumentation: nil,
      executor: executor
    ) { receive in
      try await Self.follow(stream(), receive)
    }
  }

  private init(
    label: String?, keepingAlive: Duration, retry: RetryPolicy, clock: any Clock<Duration>, history: Int,
    instrumentation: (any Instrumentation)?, executor: (any TaskExecutor)?, follow: @escaping StreamDriver<Value>.Follow
  ) {
    publisher = Publisher(label: label, clock: clock, history: history, instrumentation: instrumentation)
    driver = StreamDriver(
      publisher.registry, keepingAlive: keepingAlive, retry: retry, clock: clock, executor: executor, follow: follow)
  }

  deinit { driver.endManager() }

  /// Passes on one element after the other, and asks for none while the previous one is being passed on.
  private static func follow<Elements: AsyncSequence & SendableMetatype>(
    _ elements: Elements, _ receive: (Value) -> Bool
  ) async throws where Elements.Element == Value {
    defer { withExtendedLifetime(elements) {} }
    // A subscriber may have ended the run while it received the element.
    for try await element in elements { guard receive(element), !Task.isCancelled else { return } }
  }
}

extension StreamManager {
  /// Whether a run is active.
  ///
  /// True as soon as the first listener has subscribed, between two attempts, during `keepingAlive`, and while a new
  /// run waits for the previous sequence. False as soon as the run has ended, even if a sequence that ignores its
  /// cancellation hasn't returned.
  public var isRunning: Bool { driver.isRunning }

  /// Begins a run if somebody listens and the stream has ended: by itself, with an error, or because of a transition by
  /// hand.
  ///
  /// Otherwise does nothing; without a listener, the stream has nothing to run for. Returns without waiting.
  public func refreshIfNeeded() { driver.beginIfListenedTo() }

  /// Listens until the stream has published something other than `loading`.
  ///
  /// Begins a run if none is active. The caller is a listener itself: without another one, the stream ends
  /// `keepingAlive` after the call has returned. If a run has published an element or an error already, its current
  /// state is returned at once. If the stream publishes nothing, the call waits for as long as it runs.
  ///
  /// - Returns: The first such state since the call; the current one if the run was ended by a transition by hand, or
  ///   the calling task is cancelled.
  @discardableResult
  public func refresh() async -> LoadState<Value> {
    let (runs, version) = driver.runsSoFar
    // May begin a run, which may even have ended when this call returns.
    var states = publisher.publications().makeAsyncIterator()
    driver.beginIfListenedTo(ifRunsAre: runs)
    while let next = await states.next() {
      guard next.version >= version else { continue }
      if next.phase != .loading { return next.state }
      // Somebody has published `loading` by hand, and nothing follows.
      if !isRunning, publisher.current === next { break }
      publisher.registry.stopIfAwaitedByOwner()
    }
    return publisher.state
  }

  /// Forgets all data and ends the run.
  ///
  /// `logout()` doesn't keep new listeners from starting the stream. To end a user's streams for good, release their
  /// managers.
  public func logout() { publisher.reset() }
}

extension StreamManager: CustomStringConvertible {
  /// The description of the publisher.
  public var description: String { "StreamManager of \(publisher)" }
}
