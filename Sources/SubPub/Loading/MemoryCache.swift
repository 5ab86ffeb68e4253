/// Keeps values of any number of managers in memory, up to a limit that they share.
///
/// ```swift
/// let memory = MemoryCache(limit: 100)
/// let names = memory.cache(for: "names", of: [String].self)
/// names.write(["Ada"])
/// ```
///
/// When the limit would be exceeded, the values that were neither read nor written for the longest time go first. The
/// limit has whatever unit the sizes have: a value counts as 1 unless the `size` closure of its cache says otherwise,
/// so the limit is a number of values, or of bytes if the closures say bytes.
///
/// Every operation may be called from any thread, takes constant time on average, and waits for no foreign code: sizes
/// are measured, the clock is read and values are released outside the lock (rule 1.04).
public final class MemoryCache: Sendable {
  /// How much may be kept at a time.
  public let limit: Int

  private let records = Locked(MemoryCacheRecords())
  /// How long ago the cache was made. Foreign code.
  private let elapsed: @Sendable () -> Duration

  /// An empty cache.
  ///
  /// - Parameters:
  ///   - limit: The largest sum of sizes. Less than 1 is a programmer's error.
  ///   - clock: What the age of a value is measured on.
  public init(limit: Int, clock: any Clock<Duration> = ContinuousClock()) {
    guard limit > 0 else {
      stopForMisuse("A MemoryCache was made with the limit \(limit), and would keep nothing: give 1 or more")
    }
    self.limit = limit
    elapsed = clock.stopwatch()
  }

  /// The cache of one manager: what is kept under that key.
  ///
  /// Two caches for one key share the value. A key has one type of value for as long as there is a cache for it, or a
  /// value under it; asking for another type meanwhile is a programmer's error.
  ///
  /// - Parameters:
  ///   - key: Names the value among all that are kept here.
  ///   - type: What kind of value it is.
  ///   - size: How much of the limit a value takes. Called once for each `write`, on the thread that writes. Less than
  ///     nothing is a programmer's error; values of size zero are kept without limit.
  public func cache<Value: Sendable>(
    for key: String, of type: Value.Type = Value.self, size: @escaping @Sendable (Value) -> Int = { _ in 1 }
  ) -> MemoryCacheEntry<Value> {
    let (slot, standing) = records.withLock { $0.join(key, type: type) }
    guard standing == type else {
      stopForMisuse(
        """
        The key "\(key)" of a MemoryCache was asked for with the value type \(type), and has the type \(standing): \
        give each type a key of its own
        """)
    }
    return MemoryCacheEntry(place: MemoryCachePlace(memory: self, key: key, slot: slot), size: size)
  }

  /// The sum of the sizes of what is kept now; at most `limit`.
  public var size: Int { records.withLock { $0.size } }

  /// How many values are kept now.
  public var count: Int { records.withLock { $0.count } }

  /// Forgets every value, of all managers: when memory is short.
  public func removeAll() {
    // The values that it returns die after the lock.
    records.withLock { $0.removeAll() }
  }
}

extension MemoryCache {
  func read<Value: Sendable>(_ slot: Int) -> Cached<Value>? {
    // Nothing else is ever put into a slot of that type.
    guard let kept = records.withLock({ $0.read(slot) }) as? MemoryCacheValue<Value> else { return nil }
    return Cached(value: kept.value, age: elapsed() - kept.written)
  }

  func write<Value: Sendable>(_ value: Value, size: Int, into slot: Int) {
    let kept = MemoryCacheValue(value, written: elapsed())
    // The values that it returns die after the lock.
    records.withLock { $0.write(kept, size: size, into: slot, limit: limit) }
  }

  func clear(_ slot: Int) {
    // The value that it returns dies after the lock.
    records.withLock { $0.clear(slot) }
  }

  func leave(_ slot: Int) { records.withLock { $0.leave(slot) } }
}

extension MemoryCache: CustomStringConvertible {
  /// How much is kept: `MemoryCache(3 values, size 120 of 1000)`.
  public var description: String {
    let (count, size) = records.withLock { ($0.count, $0.size) }
    return "MemoryCache(\(count) \(count == 1 ? "value" : "values"), size \(size) of \(limit))"
  }
}
