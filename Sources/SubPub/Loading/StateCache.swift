/// Keeps the last value of a manager, so that there is something to show before the first load has ended.
///
/// Managers run the operations of a cache one at a time, in order (rule 5.10), and never on the thread of a caller. All
/// managers of caches with equal `identity` share one queue of operations. Two processes may share a place only if the
/// cache's type says so.
public protocol StateCache<Value>: Sendable {
  associatedtype Value: Sendable

  /// The place where the value is kept. Managers whose caches have equal identities share one queue of operations.
  ///
  /// By default, a class instance is its own identity, and a struct or an enum has none (nil): then each manager has a
  /// queue of its own. Read once for each manager.
  var identity: CacheIdentity? { get }

  /// The value that was written last, and its age; nil if there is none. Throws when there is one that can't be read:
  /// it is left where it is, and the manager publishes the error.
  func read() async throws -> Cached<Value>?

  /// Replaces the value. When it throws, the value before is still there, whole.
  func write(_ value: Value) async throws

  /// Forgets the value. After its return nothing that was written before is ever read again.
  func clear() async throws
}

extension StateCache {
  /// The object, or nil for a type that isn't a class.
  public var identity: CacheIdentity? {
    (self as? any StateCache & AnyObject).map { CacheIdentity(of: $0) }
  }
}
