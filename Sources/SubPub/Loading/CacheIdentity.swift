/// The place where a cache keeps its value: caches with equal identities keep the same value.
public struct CacheIdentity: Hashable, Sendable {
  private enum Place: Hashable, Sendable {
    case object(ObjectIdentifier)
    case slot(ObjectIdentifier, Int)
    /// The bytes: file systems tell names apart that are equal as strings.
    case name([UInt8])
  }

  private let place: Place

  /// The identity of a cache that keeps its value in an object of its own.
  ///
  /// - Parameter object: The object, which the cache has to keep alive.
  public init(of object: AnyObject) { place = .object(ObjectIdentifier(object)) }

  /// The identity of a cache that keeps its value under a name, such as the path of a file.
  ///
  /// - Parameter name: A name that no cache of another place has, in the whole program. Compared byte by byte.
  public init(named name: String) { place = .name(Array(name.utf8)) }

  init(slot: Int, of memory: MemoryCache) { place = .slot(ObjectIdentifier(memory), slot) }
}
