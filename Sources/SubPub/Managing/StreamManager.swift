/// A manager that follows an asynchronous sequence while somebody listens, and publishes its elements.
///
/// The sequence can be a file that is being followed, a timer, a signal, or the messages of a server. The stream runs
/// once for any number of listeners. It begins with the first, ends `keepingAlive` after the last is gone, and starts
/// again the next time a first listener arrives (5.21). Every open subscription of ``publisher`` is a listener: an
/// object, a closure, an `observe`, a sequence that is being iterated, and the part of a
/// ``PublisherDirectory/subscribeToAll(_:on:buffering:label:)`` that belongs to this publisher. A publisher that is
/// derived from this one is a listener, too: the stream runs until it is released.
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
/// (1.05). No element is lost or repeated while the stream runs. Elements have the origin ``DataOrigin/loaded``; with
/// `staleAfter`, they have an age.
///
/// An error of the sequence, or of `stream`, is published with the previous data, and so is a wait for an element that
/// takes longer than `elementTimeout`. Then `retry` decides: after its delay the publisher changes to `loading`, and
/// `stream` is called again. If no attempt is left, the run ends. When the sequence ends, the last element stays, and
/// the run ends. After that the stream starts again the next time a first listener arrives, or with
/// ``refreshIfNeeded()``. ``waitForEnd()`` waits for the end. Every error counts as a failure, including
/// `CancellationError`.
///
/// If a run ends before its first element, or while it tries again, the state from before its `loading` is published
/// again. A transition by hand ends the run, too, as it supersedes a load (5.04); `republish()` and edits don't. So
/// does releasing the manager (5.09): keep the manager for as long as you want its elements.
///
/// A listener that dies without having been cancelled is noticed when the next element reaches its context, and when
/// subscribers are counted (2.05). You can call every operation from any thread, task, or actor.
public final class StreamManager<Value: Sendable>: Manager {
  /// The publisher of the elements.
  ///
  /// If you change its state yourself, you end the run and drop pending edits (5.20); `republish()` doesn't.
  public let publisher: Publisher<Value>
  let driver: StreamDriver<Value>

  /// Creates a manager that follows any asynchronous sequence.
  ///
  /// - Parameters:
  ///   - label: A name for logs and debuggers.
  ///   - keepingAlive: How long the stream goes on after the last listener is gone. If a listener arrives in that time,
  ///     it joins the run. With zero, the run has ended when the last subscription's cancel returns; with a hundred
  ///     years or more, it doesn't end.
  ///   - retry: Whether and when `stream` is called again after an error. It counts the errors since the last element,
  ///     so `maxAttempts` limits how often `stream` is called without one.
  ///   - clock: Measures ages, `keepingAlive`, `elementTimeout`, and the delays between attempts. If it throws while
  ///     `elementTimeout` is measured, the attempt fails with its error; otherwise the run ends.
  ///   - staleAfter: How long an element counts as fresh (5.06): data that no element has replaced for so long is
  ///     stale. That publishes nothing; see ``StatePublisher/isStale``. Nil if data never becomes stale.
  ///   - initial: Data to begin with, which counts as new: version 1, with the origin `published`; nil for none.
  ///   - cache: Keeps the last element beyond the manager's life. If there is no data, a run first publishes the cached
  ///     value with its age, and then `loading` again; `stream` is called after that. Each element is written to the
  ///     cache, unless a newer one takes its place first (5.10). ``logout()`` clears it.
  ///   - elementTimeout: How long an element is waited for, the first one included; nil, or a hundred years or more,
  ///     for no limit. After that the state is an error, ``LoadTimedOut``, and `retry` decides, even if the sequence
  ///     ignores its cancellation. The time in which an element is delivered on the publishing thread doesn't count. It
  ///     also limits a read of the cache, which then counts as failed.
  ///   - cacheFailed: Called if the cache can't be read, written, or cleared, on no particular thread (5.12).
  ///   - history: How many publications are kept besides the current one, for clients that come back (6.05).
  ///   - instrumentation: Is told what happens, for logs and metrics (7.04).
  ///   - sends: Whether an edit waits until the one before has been sent (5.24); all edits show at once.
  ///   - stream: Makes the sequence, which only this manager iterates. Called once for each run and each attempt,
  ///     outside every actor, without the task-local values and the priority of the listeners. When a run ends, its
  ///     task is cancelled. If the sequence ignores that, the next run or attempt begins at once, but calls `stream`
  ///     only when the previous iterator is gone: two sequences never exist at once.
  /// - Precondition: `keepingAlive` and `staleAfter` aren't negative, and `elementTimeout` is greater than zero.
  ///   Neither `stream` nor its sequence awaits an element of this manager that isn't there yet: that would never end,
  ///   so the program stops if the run's own task calls ``refresh()``, ``waitForEnd()``, or `value()` of the publisher.
  ///   In child tasks of it, through a derived publisher, and in an iteration of the states, this isn't noticed.
  public convenience init<Elements: AsyncSequence & SendableMetatype>(
    label: String? = nil, keepingAlive: Duration = .zero, retry: RetryPolicy = .never,
    clock: any Clock<Duration> = ContinuousClock(), staleAfter: Duration? = nil, initial: Value? = nil,
    cache: (any StateCache<Value>)? = nil, elementTimeout: Duration? = nil,
    cacheFailed: @escaping @Sendable (CacheFailure) -> Void = { _ in }, history: Int = 0,
    instrumentation: (any Instrumentation)? = nil, sends: SendOrder = .concurrent,
    stream: @escaping @Sendable () async throws -> Elements
  ) where Elements.Element == Value {
    self.init(
      LoadingOptions(
        label: label, staleAfter: staleAfter, timeout: elementTimeout, retry: retry, clock: clock, initial: initial,
        cache: cache, cacheFailed: cacheFailed, history: history, instrumentation: instrumentation, sends: sends),
      keepingAlive: keepingAlive, stream: stream)
  }

  /// Creates a manager that follows a sequence whose type isn't known statically.
  ///
  /// Its parameters are those of the initializer for any asynchronous sequence.
  @_disfavoredOverload
  public convenience init(
    label: String? = nil, keepingAlive: Duration = .zero, retry: RetryPolicy = .never,
    clock: any Clock<Duration> = ContinuousClock(), staleAfter: Duration? = nil, initial: Value? = nil,
    cache: (any StateCache<Value>)? = nil, elementTimeout: Duration? = nil,
    cacheFailed: @escaping @Sendable (CacheFailure) -> Void = { _ in }, history: Int = 0,
    instrumentation: (any Instrumentation)? = nil, sends: SendOrder = .concurrent,
    stream: @escaping @Sendable () async throws -> any AsyncSequence<Value, any Error> & Sendable
  ) {
    self.init(
      LoadingOptions(
        label: label, staleAfter: staleAfter, timeout: elementTimeout, retry: retry, clock: clock, initial: initial,
        cache: cache, cacheFailed: cacheFailed, history: history, instrumentation: instrumentation, sends: sends),
      keepingAlive: keepingAlive
    ) { receive in
      try await Self.follow(stream(), receive)
    }
  }

  /// Creates a manager from options, whose `timeout` is that of elements; for tests, also with an executor.
  package convenience init<Elements: AsyncSequence & SendableMetatype>(
    _ options: LoadingOptions<Value>, keepingAlive: Duration, stream: @escaping @Sendable () async throws -> Elements
  ) where Elements.Element == Value {
    self.init(options, keepingAlive: keepingAlive) { receive in try await Self.follow(stream(), receive) }
  }

  private init(
    _ options: LoadingOptions<Value>, keepingAlive: Duration, follow: @escaping StreamMachine<Value>.Follow
  ) {
    publisher = options.makePublisher()
    driver = StreamDriver(publisher, options, keepingAlive: keepingAlive, follow: follow)
  }

  deinit { driver.endStream() }

  /// Passes on one element after the other, and asks for none while the previous one is being passed on.
  private static func follow<Elements: AsyncSequence & SendableMetatype>(
    _ elements: Elements, _ receive: (Value) async -> Bool
  ) async throws where Elements.Element == Value {
    defer { withExtendedLifetime(elements) {} }
    // A subscriber may have ended the run while it received the element.
    for try await element in elements { guard await receive(element), !Task.isCancelled else { return } }
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
  /// state is returned at once. If the stream publishes nothing, the call waits for as long as it runs, or until
  /// `elementTimeout` is over. A cached value doesn't end the wait.
  ///
  /// - Returns: The first such state since the call; the current one if the run was ended by a transition by hand, or
  ///   the calling task is cancelled. If the stream has ended without an element, that is the state from before it.
  @discardableResult
  public func refresh() async -> LoadState<Value> { await refresh(restarting: false) }

  /// Listens as ``refresh()`` does, and may restart the stream.
  ///
  /// The active run is cancelled as if its last listener had left, and another one begins in its place, with the data
  /// at hand as previous data. Its sequence is made when the previous iterator is gone. Other callers that wait for an
  /// element, or for the end of the stream, wait for those of the new run.
  ///
  /// - Parameter restarting: Whether to restart an active run, for a connection that may be broken, or for elements
  ///   that must not have been requested before now. A run that this call begins isn't restarted.
  /// - Returns: The first state of the new run that isn't `loading`; without a restart, what ``refresh()`` returns.
  @discardableResult
  public func refresh(restarting: Bool) async -> LoadState<Value> {
    if Task.isCancelled { return publisher.state }
    var (runs, version) = driver.runsSoFar
    // May begin a run, which may even have ended when this call returns.
    var states = publisher.publications().makeAsyncIterator()
    driver.beginIfListenedTo(ifRunsAre: runs, restarting: restarting)
    // The new run may be over by now.
    if restarting { version = max(version, driver.versionOfLastRun) }
    while let next = await states.next() {
      guard next.version >= version else { continue }
      switch next.phase {
      case .loading:
        // Somebody has published `loading` by hand, and nothing follows.
        if !isRunning, publisher.current === next { return next.state }
      case .loaded where next.origin == .cached && isRunning: break
      case .unknown, .loaded, .error: return next.state
      }
      publisher.registry.stopIfAwaitedByOwner()
    }
    return publisher.state
  }

  /// Listens until the stream has ended by itself.
  ///
  /// If the stream isn't running, and its last run has ended by itself, the call returns, or throws that error, at
  /// once, unless the state was changed by hand since. Otherwise it begins a run. The caller is a listener, so that the
  /// stream doesn't end because others leave. A restart isn't an end. When the call returns, subscribers with immediate
  /// delivery have received the last state, unless another thread was delivering to them (2.03); for the others, await
  /// ``StatePublisher/drain()`` next.
  ///
  /// - Throws: The error of the stream after which `retry` has left no attempt. `CancellationError` if the calling task
  ///   is cancelled, or if the run is ended by a logout or another transition by hand. ``PublisherEnded`` if the
  ///   publisher is finished before the stream has ended.
  public func waitForEnd() async throws {
    let (lastEnd, wait) = driver.beginWaitingForEnd(waits: !Task.isCancelled)
    if let lastEnd { return try lastEnd.get() }
    if let wait {
      let listener = publisher.observe(on: .immediate) { _ in }
      defer { listener.cancel() }
      if let runs = wait.runs { driver.beginIfListenedTo(ifRunsAre: runs) }
      if let end = await driver.end(of: wait), end.isByItself { return try end.get() }
    }
    try Task.checkCancellation()
    throw publisher.isFinished ? PublisherEnded(source: publisher.id) : CancellationError()
  }

  /// Makes the data stale until the next element, and publishes nothing (5.15).
  ///
  /// An active run goes on: restart it if its elements may be old, too.
  public func invalidate() { driver.invalidate() }

  /// Forgets all data, ends the run, and clears the cache (5.10).
  ///
  /// `logout()` doesn't keep new listeners from starting the stream. To end a user's streams for good, release their
  /// managers. The cache is cleared asynchronously, so await ``waitForCache()`` before you exit the program.
  public func logout() { driver.logout() }

  /// Waits until the cache has done everything that was requested so far.
  ///
  /// Returns early if the task is cancelled.
  public func waitForCache() async { await driver.waitForCache() }
}

extension StreamManager: CustomStringConvertible {
  /// The description of the publisher.
  public var description: String { "StreamManager of \(publisher)" }
}
