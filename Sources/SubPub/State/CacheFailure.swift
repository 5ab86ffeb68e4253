/// The failure of an operation of a manager's cache.
public struct CacheFailure: Error, CustomStringConvertible {
  /// An operation that a manager requests of its cache.
  public enum Operation: Hashable, Sendable {
    /// Reading the value.
    case read
    /// Writing a value.
    case write
    /// Removing the value.
    case clear
  }

  /// The operation that failed.
  public let operation: Operation
  /// The error that the cache has thrown.
  public let reason: any Error

  /// Creates the failure of an operation.
  ///
  /// - Parameters:
  ///   - operation: The operation that failed.
  ///   - reason: The error that the cache has thrown.
  public init(operation: Operation, reason: any Error) {
    self.operation = operation
    self.reason = reason
  }

  /// The operation and the reason, in words.
  public var description: String { "the cache could not \(operation): \(reason)" }
}

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
