/// Keeps the last value of a manager, so that there is something to show before the first load has ended.
///
/// Managers run the operations of a cache one at a time, in order (5.10), and never on the thread of a caller. All managers
/// of caches with equal ``identity`` share one queue of operations. Two processes may share a place only if the cache's type
/// says so.
public protocol StateCache<Value>: Sendable {
  /// The type of the values that are kept.
  associatedtype Value: Sendable

  /// The place where the value is kept. Managers of caches with equal identities share one queue of operations.
  ///
  /// By default, a class instance is its own identity, and a struct or an enum has none (nil): then each manager has a queue
  /// of its own. Read once for each manager.
  var identity: CacheIdentity? { get }

  /// Reads the value that was written last, and its age.
  ///
  /// - Returns: Nil if there is no value.
  /// - Throws: Any error if there is a value that can't be read. It is left where it is, and the manager publishes the error.
  func read() async throws -> Cached<Value>?

  /// Replaces the value.
  ///
  /// - Throws: Any error if the value couldn't be written. The value before must still be there, whole.
  func write(_ value: Value) async throws

  /// Removes the value. Afterwards nothing that was written before is ever read again.
  ///
  /// - Throws: Any error if the value couldn't be removed.
  func clear() async throws
}

extension StateCache {
  /// The object itself, or nil for a type that isn't a class.
  public var identity: CacheIdentity? {
    (self as? any StateCache & AnyObject).map { CacheIdentity(of: $0) }
  }
}

/// A value from a cache, with its age.
public struct Cached<Value: Sendable>: Sendable {
  /// The value that was written.
  public let value: Value
  /// How long ago the value was written. Never negative.
  public let age: Duration

  /// Creates a value that was written `age` ago. A negative age, from a clock that went backwards, counts as zero.
  public init(value: Value, age: Duration) {
    self.value = value
    self.age = max(age, .zero)
  }
}

extension Cached: Equatable where Value: Equatable {}
extension Cached: Hashable where Value: Hashable {}

/// The error of a manager's cache that couldn't do what it was asked to do.
public struct CacheFailure: Error, CustomStringConvertible {
  /// What a manager asks of its cache.
  public enum Operation: Hashable, Sendable {
    /// Reading the value.
    case read
    /// Writing a value.
    case write
    /// Removing the value.
    case clear
  }

  /// What the cache was asked to do.
  public let operation: Operation
  /// The error that the cache has thrown.
  public let reason: any Error

  /// Creates the failure of an operation.
  public init(operation: Operation, reason: any Error) {
    self.operation = operation
    self.reason = reason
  }

  /// What couldn't be done and why, in words.
  public var description: String { "the cache could not \(operation): \(reason)" }
}

/// The place where a cache keeps its value. Caches with equal identities keep the same value.
public struct CacheIdentity: Sendable {
  private enum Place: Hashable, Sendable {
    case object(ObjectIdentifier)
    case slot(ObjectIdentifier, Int)
    /// Bytes, as file systems tell names apart that are equal as strings.
    case name([UInt8])
  }

  private let place: Place
  /// Nil once the object has died. Its address may then be another's.
  weak let object: (any AnyObject & Sendable)?

  /// Creates the identity of a cache that keeps its value in an object of its own.
  ///
  /// - Parameter object: The object. The cache has to keep it alive.
  public init(of object: any AnyObject & Sendable) {
    place = .object(ObjectIdentifier(object))
    self.object = object
  }

  /// Creates the identity of a cache that keeps its value under a name, such as the path of a file.
  ///
  /// - Parameter name: A name that no cache of another place has in the whole program. Compared byte by byte.
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
  /// Whether both identify the same place.
  public static func == (left: CacheIdentity, right: CacheIdentity) -> Bool { left.place == right.place }

  /// Hashes the place.
  public func hash(into hasher: inout Hasher) { hasher.combine(place) }
}
