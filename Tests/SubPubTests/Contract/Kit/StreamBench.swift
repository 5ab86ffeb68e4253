import SubPub
import SubPubTesting

/// A sequence whose elements the test sends, and that counts what is asked of it.
///
/// Each call of `open()` makes a run. When a run is cancelled, a stubborn one goes on; any other ends at once.
final class StreamSource: SteppedSource, Sendable {
  private struct State {
    var runs: [StreamRun] = []
    var failures: [any Error] = []
    var isClosed = false
  }

  let isStubborn: Bool
  /// How many runs exist at once: from the call of `open()` until the iterator is released.
  let depth = NestingDepth()
  private let state = Locked(State())

  init(isStubborn: Bool = false) { self.isStubborn = isStubborn }

  /// The runs so far.
  var runs: [StreamRun] { state.withLock(\.runs) }
  var last: StreamRun { runs[runs.count - 1] }

  /// Makes the next calls of `open()` fail.
  func failToOpen(_ errors: any Error...) { state.withLock { $0.failures += errors } }

  func open() throws -> Elements {
    let run = StreamRun(isStubborn: isStubborn, depth)
    let (failure, isClosed) = state.withLock { state -> ((any Error)?, Bool) in
      state.runs.append(run)
      return (state.failures.isEmpty ? nil : state.failures.removeFirst(), state.isClosed)
    }
    if let failure { throw failure }
    if isClosed { run.end() }
    return Elements(life: StreamRun.Life(run))
  }

  func fail(_ call: Int, _ error: any Error) { runs[call].fail(error) }

  func close() {
    let runs = state.withLock { state in
      state.isClosed = true
      return state.runs
    }
    for run in runs { run.end() }
  }

  /// A run that has already been sent the numbers from 1 on, and ends after them.
  static func counting(to last: Int) -> Elements {
    let run = StreamRun(isStubborn: false, NestingDepth())
    for number in 1...last { run.send(number) }
    run.end()
    return Elements(life: StreamRun.Life(run))
  }

  struct Elements: AsyncSequence, AsyncIteratorProtocol, Sendable {
    fileprivate let life: StreamRun.Life

    func makeAsyncIterator() -> Elements { self }

    mutating func next() async throws -> Int? {
      defer { withExtendedLifetime(life) {} }
      return try await life.run.next()
    }
  }
}

/// One run of a sequence.
final class StreamRun: Sendable {
  private struct State {
    var events: [Result<Int, any Error>?] = []
    var waiting: CheckedContinuation<Void, Never>?
    var asked = 0
    var isCancelled = false
    var isOver = false
  }

  /// Ends with the last iterator, and with the sequence.
  fileprivate final class Life: Sendable {
    let run: StreamRun

    init(_ run: StreamRun) {
      self.run = run
      run.depth.enter()
    }

    deinit {
      run.state.withLock { $0.isOver = true }
      run.depth.leave()
    }
  }

  private let isStubborn: Bool
  private let depth: NestingDepth
  private let state = Locked(State())

  fileprivate init(isStubborn: Bool, _ depth: NestingDepth) { (self.isStubborn, self.depth) = (isStubborn, depth) }

  /// The number of calls of `next()`.
  var asked: Int { state.withLock(\.asked) }
  var isCancelled: Bool { state.withLock(\.isCancelled) }
  /// Whether the sequence and its iterator have been released.
  var isOver: Bool { state.withLock(\.isOver) }

  func send(_ elements: Int...) { add(elements.map(Result.success)) }
  func fail(_ error: any Error) { add([.failure(error)]) }
  func end() { add([nil]) }

  private func add(_ events: [Result<Int, any Error>?]) {
    let waiting = state.withLock { state in
      state.events += events
      return state.waiting.take()
    }
    waiting?.resume()
  }

  fileprivate func next() async throws -> Int? {
    state.withLock { $0.asked += 1 }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isDue = state.withLock { state in
          let isDue = !state.events.isEmpty || (state.isCancelled && !isStubborn)
          if !isDue { state.waiting = continuation }
          return isDue
        }
        if isDue { continuation.resume() }
      }
    } onCancel: {
      let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
        state.isCancelled = true
        return isStubborn ? nil : state.waiting.take()
      }
      waiting?.resume()
    }
    let event = state.withLock { state in state.events.isEmpty ? nil : state.events.removeFirst() }
    return try event?.get()
  }
}

/// A manager of a stream of numbers, step by step.
final class StreamBench: SteppedBench, Sendable {
  let executor = ManualExecutor()
  let clock = ManualClock()
  let source: StreamSource
  private let held: Locked<StreamManager<Int>?>
  let publisher: Publisher<Int>
  var outcome: LoadState<Int> { publisher.state }

  init(
    keepingAlive: Duration = .zero, retry: RetryPolicy = .never, isStubborn: Bool = false,
    clock other: (any Clock<Duration>)? = nil, elementTimeout: Duration? = nil,
    options set: (inout LoadingOptions<Int>) -> Void = { _ in }
  ) {
    let source = StreamSource(isStubborn: isStubborn)
    self.source = source
    let options = LoadingOptions(
      on: executor, timeout: elementTimeout, retry: retry, clock: other ?? clock, set)
    let manager = StreamManager<Int>(options, keepingAlive: keepingAlive) { try source.open() }
    publisher = manager.publisher
    held = Locked(manager)
  }

  deinit {
    releaseManager()
    finish()
  }

  /// Nil once the test has released it.
  var manager: StreamManager<Int>? { held.withLock { $0 } }
  var isRunning: Bool { manager?.isRunning ?? false }
  /// The number of calls of `stream`.
  var calls: Int { source.runs.count }

  func releaseManager() {
    let manager = held.withLock { $0.take() }
    withExtendedLifetime(manager) {}
  }

  /// A listener that has received everything since now, and whose stream has got as far as it can.
  func listen(on context: DeliveryContext = .immediate) -> Recorder<Int> {
    let listener = Recorder<Int>()
    publisher.subscribe(listener, on: context)
    run()
    return listener
  }

  @discardableResult func leave(_ listener: Recorder<Int>) -> LoadState<Int> {
    publisher.unsubscribe(listener)
    return run()
  }

  @discardableResult func send(_ elements: Int...) -> LoadState<Int> {
    for element in elements { source.last.send(element) }
    return run()
  }

  /// Makes the last run fail.
  @discardableResult func fail(_ error: any Error = Failure.offline) -> LoadState<Int> {
    fail(calls - 1, error)
  }

  @discardableResult func end() -> LoadState<Int> {
    source.last.end()
    return run()
  }

  @discardableResult func refreshIfNeeded() -> LoadState<Int> {
    manager?.refreshIfNeeded()
    return run()
  }

  func refresh(restarting: Bool = false) -> Caller<LoadState<Int>?> {
    call { [self] in await manager?.refresh(restarting: restarting) }
  }

  /// Waits for the end; the result is nil, or the error.
  func waitForEnd() -> Caller<(any Error)?> {
    call { [self] in
      do { try await manager?.waitForEnd() } catch { return error }
      return nil
    }
  }
}
