/// A value that a `MemoryCache` keeps. A reference, so that it is taken out under the lock and dies after it.
final class MemoryCacheValue<Value: Sendable>: Sendable {
  let value: Value
  /// When, on the stopwatch of the cache.
  let written: Duration

  init(_ value: Value, written: Duration) {
    self.value = value
    self.written = written
  }
}
