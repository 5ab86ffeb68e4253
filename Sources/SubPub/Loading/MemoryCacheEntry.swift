/// What a `MemoryCache` keeps under one key: the cache of one manager.
///
/// Its operations may be called from any thread, and from synchronous code; none of them throws. It keeps the
/// `MemoryCache` alive. The value stays there, for the next cache with the same key, when this one is released.
public struct MemoryCacheEntry<Value: Sendable>: StateCache {
  private let place: MemoryCachePlace
  private let measure: @Sendable (Value) -> Int

  init(place: MemoryCachePlace, size: @escaping @Sendable (Value) -> Int) {
    self.place = place
    measure = size
  }

  /// Which value this is among all that are kept there.
  public var key: String { place.key }

  /// The key of that `MemoryCache`: all of its caches share the value.
  public var identity: CacheIdentity? { CacheIdentity(slot: place.slot, of: place.memory) }

  /// The value that was written last, if it is still kept. It is now the one that was used most recently.
  public func read() -> Cached<Value>? { place.memory.read(place.slot) }

  /// Keeps the value instead of the one before, and makes room for it.
  ///
  /// A value that is larger than the whole limit isn't kept. The one before goes then too, since it would be outdated;
  /// the values under other keys stay.
  public func write(_ value: Value) {
    let size = measure(value)
    guard size >= 0 else {
      stopForMisuse(
        """
        The size of a value for the key "\(key)" of a MemoryCache is \(size): it takes room, so its `size` has to be zero \
        or more
        """)
    }
    place.memory.write(value, size: size, into: place.slot)
  }

  /// Forgets the value.
  public func clear() { place.memory.clear(place.slot) }
}
