/// A cache that keeps the last value of a manager.
///
/// It gives a manager something to show before the first load has ended. Managers run the operations of a cache one at
/// a time, in order (5.10), and never on the thread of a caller. All managers of caches with equal identities share one
/// queue of operations. Two processes may share the place where a value is kept only if the cache's type allows it.
/// An operation that awaits a load or `waitForCache()` of one of these managers never ends.
public protocol StateCache<Value>: Sendable {
  /// The type of the values that are kept.
  associatedtype Value: Sendable

  /// The identity of the place where the value is kept.
  ///
  /// Managers of caches with equal identities share one queue of operations. By default, a class instance is its own
  /// identity, and a struct or an enum has none (nil): then each manager has a queue of its own. Read once for each
  /// manager.
  var identity: CacheIdentity? { get }

  /// Reads the value that was written last.
  ///
  /// - Returns: The value with its age, or nil if there is none.
  /// - Throws: Any error if there is a value that can't be read. The value stays where it is; the manager reports the
  ///   error to `cacheFailed`, and loads.
  func read() async throws -> Cached<Value>?

  /// Replaces the value.
  ///
  /// - Parameter value: The new value.
  /// - Throws: Any error if the value can't be written. The previous value must still be intact then.
  func write(_ value: Value) async throws

  /// Replaces the value with one that isn't new.
  ///
  /// Managers call this function only. By default, it calls ``write(_:)``, and so forgets the age. A cache that
  /// implements it returns the age, plus the time since the call, from ``read()``, so that data isn't younger for the
  /// next manager than it was for this one (5.06).
  ///
  /// - Parameters:
  ///   - value: The new value.
  ///   - age: How old the value is; never negative. 200 years if it mustn't count as fresh, whatever `staleAfter` is.
  /// - Throws: Any error if the value can't be written. The previous value must still be intact then.
  func write(_ value: Value, age: Duration) async throws

  /// Removes the value, so that nothing that was written before is ever read again.
  ///
  /// - Throws: Any error if the value can't be removed.
  func clear() async throws
}

extension StateCache {
  /// Replaces the value, as ``write(_:)`` does, and forgets its age.
  public func write(_ value: Value, age: Duration) async throws { try await write(value) }

  /// The object itself, or nil for a type that isn't a class.
  public var identity: CacheIdentity? {
    (self as? any StateCache & AnyObject).map { CacheIdentity(of: $0) }
  }
}

/// A value from a cache, with its age.
public struct Cached<Value: Sendable>: Sendable {
  /// The value that was written.
  public let value: Value
  /// How long ago the value was written, plus the age that it had then; never negative, and at most 2^60 seconds.
  public let age: Duration

  /// Creates a value with its age.
  ///
  /// - Parameters:
  ///   - value: The value that was written.
  ///   - age: How old the value is. A negative age, from a clock that was set back, counts as zero, and a longer one
  ///     than 2^60 seconds as that.
  public init(value: Value, age: Duration) {
    self.value = value
    // Limited, so that a damaged age can be added to (5.29).
    self.age = min(max(age, .zero), .longestAge)
  }
}

extension Cached: Equatable where Value: Equatable {}
extension Cached: Hashable where Value: Hashable {}

/// The identity of the place where a cache keeps its value.
///
/// Caches with equal identities keep the same value.
public struct CacheIdentity: Sendable {
  private enum Place: Hashable, Sendable {
    case object(ObjectIdentifier)
    case slot(ObjectIdentifier, Int)
    /// The bytes of a name, because file systems distinguish names that are equal as strings.
    case name([UInt8])
  }

  private let place: Place
  /// The object, nil once it has died; its address may then be another object's.
  weak let object: (any AnyObject & Sendable)?

  /// Creates the identity of a cache that keeps its value in an object of its own.
  ///
  /// - Parameter object: The object, which the cache has to keep alive.
  public init(of object: any AnyObject & Sendable) {
    place = .object(ObjectIdentifier(object))
    self.object = object
  }

  /// Creates the identity of a cache that keeps its value under a name, such as the path of a file.
  ///
  /// - Parameter name: A name that belongs to only one place in the whole program. Compared byte by byte.
  public init(named name: String) {
    place = .name(Array(name.utf8))
    object = nil
  }

  init(slot: Int, of memory: any AnyObject & Sendable) {
    place = .slot(ObjectIdentifier(memory), slot)
    object = memory
  }

  var isNamed: Bool { if case .name = place { true } else { false } }
}

extension CacheIdentity: Hashable {
  /// Returns whether both identify the same place.
  public static func == (left: CacheIdentity, right: CacheIdentity) -> Bool { left.place == right.place }

  /// Hashes the place.
  public func hash(into hasher: inout Hasher) { hasher.combine(place) }
}
