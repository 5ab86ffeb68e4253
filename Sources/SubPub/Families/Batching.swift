/// Makes a loader for the managers of a family, which asks for many keys in one request (5.25).
///
/// A request begins when `maximum` different keys have been asked for, and at the latest when `window` has passed since
/// the first of them. Calls for one key share it, unless the request has begun: then the later call is for the next
/// request, so that nobody receives data that was requested before they asked.
///
/// ```swift
/// let load = batching(maximum: 100, within: .milliseconds(5)) { (cities: Set<String>) in
///   Dictionary(uniqueKeysWithValues: cities.map { ($0, "sunny in \($0)") })  // Ask a server.
/// }
/// let forecasts = ManagerFamily(lingering: .seconds(60)) { (city: String) in
///   LoadingManager(label: city, staleAfter: .seconds(600)) { try await load(city) }
/// }
/// ```
///
/// Each call returns the value of its key. It throws ``KeyMissing`` if the answer lacks that key, and the request's
/// error if the request fails. A call that is cancelled throws `CancellationError` at once. Its key isn't asked for if
/// nobody else wants it; a request that has begun goes on for the others, and is cancelled when none is left. A
/// manager's `timeout` limits each call, with the time that it waits for its request.
///
/// In a family with `maxConcurrentLoads`, no request has more keys than that.
///
/// - Parameters:
///   - maximum: The largest number of keys in one request.
///   - window: How long to collect keys after the first one. With zero, a request has the keys that are asked for
///     before its task gets a thread; with a hundred years or more, a request waits until there are `maximum` keys.
///   - clock: Measures `window`. If it throws, the request begins at once.
///   - load: Asks for several keys, and returns the values by their keys; values of other keys are ignored. Runs
///     outside every actor, without the task-local values and the priority of the callers. Keys are hashed and compared
///     while no lock is held.
/// - Returns: A loader for one key. Call it from any thread, task, or actor.
/// - Precondition: `maximum` is at least 1, and `window` isn't negative.
public func batching<Key: Hashable & Sendable, Value: Sendable>(
  maximum: Int, within window: Duration, clock: any Clock<Duration> = ContinuousClock(),
  load: @escaping @Sendable (Set<Key>) async throws -> [Key: Value]
) -> @Sendable (Key) async throws -> Value {
  let batcher = KeyBatcher(maximum: maximum, within: window, clock: clock, executor: nil, load: load)
  return { key in try await batcher.value(of: key) }
}

/// Makes a loader as ``batching(maximum:within:clock:load:)`` does, for servers that answer with an error for some
/// keys.
///
/// ```swift
/// let load = batching(maximum: 100, within: .milliseconds(5), results: { (cities: Set<String>) in
///   Dictionary(uniqueKeysWithValues: cities.map { city in
///     (city, city.isEmpty ? .failure(KeyMissing(key: city)) : .success("sunny in \(city)"))
///   })
/// })
/// ```
///
/// - Parameters:
///   - maximum: The largest number of keys in one request.
///   - window: How long to collect keys after the first one.
///   - clock: Measures `window`. If it throws, the request begins at once.
///   - results: Asks for several keys, and returns the value or the error of each. The rest is as with `load`.
/// - Returns: A loader for one key, which throws the error of its key. Call it from any thread, task, or actor.
/// - Precondition: `maximum` is at least 1, and `window` isn't negative.
public func batching<Key: Hashable & Sendable, Value: Sendable>(
  maximum: Int, within window: Duration, clock: any Clock<Duration> = ContinuousClock(),
  results: @escaping @Sendable (Set<Key>) async throws -> [Key: Result<Value, any Error>]
) -> @Sendable (Key) async throws -> Value {
  let load = batching(maximum: maximum, within: window, clock: clock, load: results)
  return { key in try await load(key).get() }
}

/// The error of a load whose key is missing from the answer to its batched request (5.25).
///
/// See ``batching(maximum:within:clock:load:)``.
public struct KeyMissing<Key: Hashable & Sendable>: Error, Hashable, Sendable, CustomStringConvertible {
  /// The key.
  public let key: Key

  /// Creates the error, for tests of code that handles it.
  ///
  /// - Parameter key: The key.
  public init(key: Key) { self.key = key }

  /// The key, in words.
  public var description: String { "the answer has no value for the key \(key)".onOneLine }
}

/// Collects keys, and asks for them together.
package final class KeyBatcher<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private final class Batch: Sendable {
    let keys: Locked<KeyBatch<Key, Value>>
    let timer = CancellableTask()
    let request = CancellableTask()

    init(maximum: Int) { keys = Locked(KeyBatch(maximum: maximum)) }
  }

  private let maximum: Int
  private let window: Duration
  private let sleep: @Sendable (Duration) async throws -> Void
  private let executor: (any TaskExecutor)?
  private let load: @Sendable (Set<Key>) async throws -> [Key: Value]
  /// The batch that collects keys; nil if the last one is closed.
  private let open = Locked<Batch?>(nil)

  /// Creates a batcher whose tasks run on an executor, which tests pass; nil for the pool.
  package init(
    maximum: Int, within window: Duration, clock: any Clock<Duration>, executor: (any TaskExecutor)?,
    load: @escaping @Sendable (Set<Key>) async throws -> [Key: Value]
  ) {
    guard maximum >= 1 else {
      stopForMisuse("maximum is \(maximum), but a request has at least one key: give 1 or more")
    }
    guard window >= .zero else { stopForMisuse("within is \(window), but a wait can't be negative: give zero or more") }
    (self.maximum, self.window, self.executor, self.load) = (maximum, window, executor, load)
    sleep = { try await clock.sleep(for: $0) }
  }

  package func value(of key: Key) async throws -> Value {
    try Task.checkCancellation()
    let (batch, asker) = join(key)
    await SuspendedTask.wait { task in
      batch.keys.withLock { $0.suspend(task, asker) }
    } onCancel: {
      let left = batch.keys.withLock { $0.leave(asker) }
      left.task?.resume()
      if left.isLast { batch.request.cancel() }
    }
    guard let answer = batch.keys.withLock({ $0.answer(for: asker) }) else { throw CancellationError() }
    guard let value = try answer.get()[key] else { throw KeyMissing(key: key) }
    return value
  }

  private func join(_ key: Key) -> (Batch, asker: Int) {
    let hash = key.hashValue
    while true {
      let batch = openBatch()
      let bucket = batch.keys.withLock { $0.bucket(hash) }
      let (found, numbers) = (bucket.first { $0.key == key }?.number, bucket.map(\.number))
      switch batch.keys.withLock({ $0.join(key, hash, at: found, seeing: numbers) }) {
      case .joined(let asker, let isFirst):
        if isFirst { startTimer(of: batch) }
        return (batch, asker)
      case .filled(let asker, let keys):
        send(keys, of: batch)
        return (batch, asker)
      case .outdated: continue
      case .closed: close(batch)
      }
    }
  }

  private func openBatch() -> Batch {
    if let batch = open.withLock({ $0 }) { return batch }
    let new = Batch(maximum: maximum)
    return open.withLock { batch in
      if batch == nil { batch = new }
      return batch ?? new
    }
  }

  private func startTimer(of batch: Batch) {
    guard window < .unlimited else { return }
    batch.timer.start(on: executor) { [self] in
      // If the clock fails, the keys don't wait any longer.
      if window > .zero { try? await sleep(window) }
      guard !Task.isCancelled else { return }
      if let keys = batch.keys.withLock({ $0.close() }) { send(keys, of: batch) }
    }
  }

  private func send(_ keys: [Key], of batch: Batch) {
    close(batch)
    batch.timer.cancel()
    guard !keys.isEmpty else { return }
    batch.request.start(on: executor) { [load] in
      let answer: Result<[Key: Value], any Error>
      do {
        try Task.checkCancellation()
        answer = .success(try await load(Set(keys)))
      } catch {
        answer = .failure(error)
      }
      for task in batch.keys.withLock({ $0.end(with: answer) }) { task.resume() }
    }
  }

  private func close(_ batch: Batch) { open.withLock { $0 === batch ? $0.take() : nil } }
}
