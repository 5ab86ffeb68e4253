/// Carries out foreign asynchronous code that may take too long, or not heed its cancellation.
struct Attempt: Sendable {
  private let timeout: Duration?
  private let sleep: @Sendable (Duration) async throws -> Void
  /// Where it runs; nil: the pool. Tests give another.
  let executor: (any TaskExecutor)?

  init(timeout: Duration?, clock: any Clock<Duration>, executor: (any TaskExecutor)?) {
    if let timeout, timeout <= .zero {
      stopForMisuse("timeout is \(timeout): no load ends in no time; give more than zero, or nil for no limit")
    }
    // A clock can't count that far, and nobody waits so long.
    self.timeout = timeout.flatMap { $0 < .unlimited ? $0 : nil }
    self.executor = executor
    sleep = { try await clock.sleep(for: $0) }
  }

  /// What the operation came to, or that its time was over; nil when this task was cancelled. Returns as soon as one of
  /// these is true: what still runs then is cancelled, and what it comes to is dropped.
  func outcome<Value: Sendable>(
    of operation: @escaping @Sendable () async throws -> Value
  ) async -> Result<Value, any Error>? {
    await outcome(of: operation, within: timeout)
  }

  /// Waits between two attempts. False when this task is cancelled, or the clock fails.
  func pause(_ delay: Duration) async -> Bool {
    if delay == .zero { return true }
    if delay >= .unlimited {
      await waitForCancellation()
      return false
    }
    // A clock is foreign, too, and may not heed a cancellation.
    if case .success = await outcome(of: { [sleep] in try await sleep(delay) }, within: nil) { return true }
    return false
  }

  private func waitForCancellation() async {
    let (nothing, source) = AsyncStream<Never>.makeStream()
    for await _ in nothing {}
    withExtendedLifetime(source) {}
  }

  private func outcome<Value: Sendable>(
    of operation: @escaping @Sendable () async throws -> Value, within timeout: Duration?
  ) async -> Result<Value, any Error>? {
    let (outcomes, first) = AsyncStream<Result<Value, any Error>>.makeStream(bufferingPolicy: .bufferingOldest(1))
    let work = Task.detached(executorPreference: executor) {
      // Cancelled before it began: nobody wants it.
      guard !Task.isCancelled else { return }
      do { first.yield(.success(try await operation())) } catch { first.yield(.failure(error)) }
    }
    let timer = timeout.map { timeout in
      Task.detached(executorPreference: executor) { [sleep] in
        do {
          try await sleep(timeout)
          first.yield(.failure(LoadTimedOut(timeout: timeout)))
        } catch {
          // Unless the operation has ended first, the clock has failed: without it nothing would ever end.
          if !Task.isCancelled { first.yield(.failure(error)) }
        }
      }
    }
    return await withTaskCancellationHandler {
      defer {
        work.cancel()
        timer?.cancel()
      }
      for await outcome in outcomes { return outcome }
      return nil
    } onCancel: {
      // At once, and not when this task gets a thread.
      work.cancel()
    }
  }
}

extension Duration {
  /// A hundred years: a wait that long, or longer, has no end. The system's clocks stop the program when they are asked
  /// to sleep for more than they can count.
  static let unlimited = Duration.seconds(100 * 365 * 86_400)
}
