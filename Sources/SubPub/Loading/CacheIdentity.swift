/// The place where a cache keeps its value: caches with equal identities keep the same value.
public struct CacheIdentity: Sendable {
  private enum Place: Hashable, Sendable {
    case object(ObjectIdentifier)
    case slot(ObjectIdentifier, Int)
    /// The bytes: file systems tell names apart that are equal as strings.
    case name([UInt8])
  }

  private let place: Place
  /// Nil when it has died: the place may then be another's.
  weak let object: (any AnyObject & Sendable)?

  /// The identity of a cache that keeps its value in an object of its own.
  ///
  /// - Parameter object: The object, which the cache has to keep alive.
  public init(of object: any AnyObject & Sendable) {
    place = .object(ObjectIdentifier(object))
    self.object = object
  }

  /// The identity of a cache that keeps its value under a name, such as the path of a file.
  ///
  /// - Parameter name: A name that no cache of another place has, in the whole program. Compared byte by byte.
  public init(named name: String) {
    place = .name(Array(name.utf8))
    object = nil
  }

  init(slot: Int, of memory: MemoryCache) {
    place = .slot(ObjectIdentifier(memory), slot)
    object = memory
  }

  var isNamed: Bool { if case .name = place { true } else { false } }
}

extension CacheIdentity: Hashable {
  public static func == (one: CacheIdentity, other: CacheIdentity) -> Bool { one.place == other.place }

  public func hash(into hasher: inout Hasher) { hasher.combine(place) }
}
