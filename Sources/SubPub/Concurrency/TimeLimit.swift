/// Runs foreign asynchronous code that may take too long or ignore its cancellation.
struct TimeLimit: Sendable {
  private let timeout: Duration?
  private let sleep: @Sendable (Duration) async throws -> Void
  /// The executor that runs everything, passed by tests; nil for the pool.
  let executor: (any TaskExecutor)?

  init(timeout: Duration?, clock: any Clock<Duration>, executor: (any TaskExecutor)?) {
    if let timeout, timeout <= .zero {
      stopForMisuse("timeout is \(timeout), but no load ends in no time: give more than zero, or nil for no limit")
    }
    self.timeout = timeout.flatMap { $0 < .unlimited ? $0 : nil }
    self.executor = executor
    sleep = { try await clock.sleep(for: $0) }
  }

  /// Runs an operation, and returns its result or `LoadTimedOut`; nil if this task is cancelled.
  ///
  /// Returns as soon as one of these happens. An operation that is still running then is cancelled, and its result is
  /// dropped.
  func run<Value: Sendable>(
    _ operation: @escaping @Sendable () async throws -> Value
  ) async -> Result<Value, any Error>? {
    guard let timeout else { return await run(operation, limitedBy: nil) }
    return await run(operation, limitedBy: { [sleep] in try await sleep(timeout) })
  }

  /// Does the same with a limit that moves: `rest` returns how much time is left, and nil once it is over.
  ///
  /// One task sleeps, however often the limit moves.
  func run<Value: Sendable>(
    _ operation: @escaping @Sendable () async throws -> Value, while rest: @escaping @Sendable () -> Duration?
  ) async -> Result<Value, any Error>? {
    await run(operation, limitedBy: { [sleep] in while let rest = rest() { try await sleep(rest) } })
  }

  /// Waits between two attempts; returns false if this task is cancelled or the clock fails.
  func pause(for delay: Duration) async -> Bool {
    if delay == .zero { return true }
    if delay >= .unlimited {
      await waitForCancellation()
      return false
    }
    // The clock is foreign code as well, and may ignore a cancellation.
    if case .success = await run({ [sleep] in try await sleep(delay) }, limitedBy: nil) { return true }
    return false
  }

  private func waitForCancellation() async {
    _ = await OneShot<Never>().wait()
  }

  private func run<Value: Sendable>(
    _ operation: @escaping @Sendable () async throws -> Value, limitedBy wait: (@Sendable () async throws -> Void)?
  ) async -> Result<Value, any Error>? {
    let first = OneShot<Result<Value, any Error>>()
    let work = Task.detached(executorPreference: executor) {
      guard !Task.isCancelled else { return }
      do { first.give(.success(try await operation())) } catch { first.give(.failure(error)) }
    }
    let timer = wait.map { wait in
      Task.detached(executorPreference: executor) { [timeout = timeout ?? .zero] in
        do {
          try await wait()
          first.give(.failure(LoadTimedOut(timeout: timeout)))
        } catch {
          // Unless the operation has ended first, the clock has failed, and without it nothing would ever end.
          if !Task.isCancelled { first.give(.failure(error)) }
        }
      }
    }
    return await withTaskCancellationHandler {
      defer {
        work.cancel()
        timer?.cancel()
      }
      return await first.wait()
    } onCancel: {
      // At once, rather than only when this task gets a thread.
      work.cancel()
    }
  }
}

/// The error of one attempt, or one read of the cache, that took longer than its manager's timeout; for a stream, that
/// no element has come for so long.
///
/// A load publishes it if no attempt is left (5.07), and a stream each time (5.21).
public struct LoadTimedOut: Error, Hashable, Sendable, CustomStringConvertible {
  /// How long the attempt was allowed to take, or how long an element was waited for.
  public let timeout: Duration

  /// Creates the error, for tests of code that handles it.
  ///
  /// - Parameter timeout: How long the attempt was allowed to take.
  public init(timeout: Duration) { self.timeout = timeout }

  /// The time limit, in words.
  public var description: String { "the load took longer than \(timeout)" }
}
