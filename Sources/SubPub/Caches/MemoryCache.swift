/// A cache that keeps the values of any number of managers in memory, up to a shared limit.
///
/// ```swift
/// let memory = MemoryCache(limit: 100)
/// let names = memory.cache(for: "names", of: [String].self)
/// names.write(["Ada"])
/// ```
///
/// If a new value would exceed the limit, the least recently used values are removed first. The limit has the same unit
/// as the sizes. A value has size 1 unless the `size` closure of its cache says otherwise, so the limit is a number of
/// values, or a number of bytes if the closures return bytes.
///
/// You can call every operation from any thread. No lock is held while `size` runs or the clock is read: sizes are
/// measured, the clock is read, and values are released outside the lock (1.04).
public final class MemoryCache: Sendable {
  /// The largest sum of sizes.
  public let limit: Int

  private let records = Locked(MemoryCacheRecords())
  /// The time since the cache was created; foreign code.
  private let elapsed: @Sendable () -> Duration

  /// Creates an empty cache.
  ///
  /// - Parameters:
  ///   - limit: The largest sum of sizes.
  ///   - clock: Measures the age of values.
  /// - Precondition: `limit` is at least 1.
  public init(limit: Int, clock: any Clock<Duration> = ContinuousClock()) {
    guard limit > 0 else {
      stopForMisuse("A MemoryCache was made with the limit \(limit), and would keep nothing: give 1 or more")
    }
    self.limit = limit
    elapsed = clock.stopwatch()
  }

  /// Returns the cache of one manager, which keeps its value under a key.
  ///
  /// Two caches with the same key share the value.
  ///
  /// - Parameters:
  ///   - key: The key of the value.
  ///   - type: The type of the value.
  ///   - size: Returns how much of the limit a value takes. Called once for each `write`, on the writing thread. There
  ///     is no limit on the number of values of size zero.
  /// - Returns: A cache that keeps this object alive.
  /// - Precondition: A key has one type for as long as there is a cache or a value for it.
  public func cache<Value: Sendable>(
    for key: String, of type: Value.Type = Value.self, size: @escaping @Sendable (Value) -> Int = { _ in 1 }
  ) -> MemoryCacheEntry<Value> {
    let (slot, existing) = records.withLock { $0.join(key, type: type) }
    guard existing == type else {
      stopForMisuse(
        """
        The key "\(key)" of a MemoryCache was asked for with the value type \(type), but its type is \(existing): give \
        each type a key of its own
        """)
    }
    return MemoryCacheEntry(MemoryCacheSlot(memory: self, key: key, index: slot), size: size)
  }

  /// The sum of the sizes of all values; at most ``limit``.
  public var size: Int { records.withLock { $0.size } }

  /// The number of values.
  public var count: Int { records.withLock { $0.count } }

  /// Removes every value of every manager, for example when memory is short.
  ///
  /// - Complexity: O(*n*) in the number of values.
  public func removeAll() {
    // The removed values are returned, and released after the unlock.
    records.withLock { $0.removeAll() }
  }
}

extension MemoryCache: CustomStringConvertible {
  /// The number of values and their size, for logs: `MemoryCache(3 values, size 120 of 1000)`.
  public var description: String {
    let (count, size) = records.withLock { ($0.count, $0.size) }
    return "MemoryCache(\(count) \(count == 1 ? "value" : "values"), size \(size) of \(limit))"
  }
}

/// The operations of the managers' caches.
extension MemoryCache {
  /// A value in a box, so that it is removed under the lock and released after it.
  private final class Box<Value: Sendable>: Sendable {
    let value: Value
    /// The time at which the value was new, on the stopwatch of the cache.
    let freshSince: Duration

    init(_ value: Value, freshSince: Duration) {
      self.value = value
      self.freshSince = freshSince
    }
  }

  fileprivate func read<Value: Sendable>(_ slot: Int) -> Cached<Value>? {
    // A slot of that type contains nothing else.
    guard let box = records.withLock({ $0.read(slot) }) as? Box<Value> else { return nil }
    return Cached(value: box.value, age: elapsed() - box.freshSince)
  }

  fileprivate func write<Value: Sendable>(_ value: Value, age: Duration, size: Int, into slot: Int) {
    let box = Box(value, freshSince: elapsed() - age)
    // The displaced values are returned, and released after the unlock.
    records.withLock { $0.write(box, size: size, into: slot, limit: limit) }
  }

  fileprivate func clear(_ slot: Int) {
    // The removed value is returned, and released after the unlock.
    records.withLock { $0.clear(slot) }
  }

  fileprivate func leave(_ slot: Int) { records.withLock { $0.leave(slot) } }
}

/// A holder of the slot of one key, which keeps the slot assigned to that key.
final class MemoryCacheSlot: Sendable {
  let memory: MemoryCache
  let key: String
  let index: Int

  /// Takes over one holder that was counted by `MemoryCacheRecords.join`.
  init(memory: MemoryCache, key: String, index: Int) {
    self.memory = memory
    self.key = key
    self.index = index
  }

  deinit { memory.leave(index) }
}

/// The cache of one manager in a ``MemoryCache``: the value under one key.
///
/// Call its operations from any thread; none of them throws, and only ``write(_:age:)`` is `async`. It keeps the
/// `MemoryCache` alive. When it is released, the value remains for the next cache with the same key.
public struct MemoryCacheEntry<Value: Sendable>: StateCache {
  private let slot: MemoryCacheSlot
  private let measure: @Sendable (Value) -> Int

  init(_ slot: MemoryCacheSlot, size: @escaping @Sendable (Value) -> Int) {
    self.slot = slot
    measure = size
  }

  /// The key of the value.
  public var key: String { slot.key }

  /// The key and its `MemoryCache`, which identify the value.
  public var identity: CacheIdentity? { CacheIdentity(slot: slot.index, of: slot.memory) }

  /// Returns the last written value if it is still kept, and makes it the most recently used one.
  ///
  /// - Returns: The value with its age, or nil if there is none.
  public func read() -> Cached<Value>? { slot.memory.read(slot.index) }

  /// Replaces the value, and makes room for it.
  ///
  /// A value that is larger than the whole limit isn't kept, and the value before it is removed because it is outdated.
  /// The values under other keys stay then.
  ///
  /// - Parameter value: The new value.
  /// - Complexity: Amortized O(1).
  /// - Precondition: The size of the value isn't negative.
  public func write(_ value: Value) { replace(with: value, age: .zero) }

  /// Replaces the value with one that isn't new, and makes room for it, as ``write(_:)`` does.
  ///
  /// Never suspends. It is `async` because asynchronous code would otherwise call the default of ``StateCache``, which
  /// forgets the age.
  ///
  /// - Parameters:
  ///   - value: The new value.
  ///   - age: How old the value is. A negative age counts as zero.
  /// - Complexity: Amortized O(1).
  /// - Precondition: The size of the value isn't negative.
  public func write(_ value: Value, age: Duration) async { replace(with: value, age: age) }

  private func replace(with value: Value, age: Duration) {
    let size = measure(value)
    guard size >= 0 else {
      stopForMisuse(
        """
        The size of a value for the key "\(key)" of a MemoryCache is \(size): a size can't be negative, so its `size` has \
        to return zero or more
        """)
    }
    slot.memory.write(value, age: min(max(age, .zero), .longestAge), size: size, into: slot.index)
  }

  /// Removes the value.
  public func clear() { slot.memory.clear(slot.index) }
}
