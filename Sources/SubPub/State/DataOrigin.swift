/// Where the data of a publication comes from.
@frozen public enum DataOrigin: Hashable, Sendable {
  /// It was published by hand: by the publisher's transitions, or by a manager's `set(_:)`.
  case published
  /// A manager has loaded it.
  case loaded
  /// A manager has read it from its cache.
  ///
  /// A quiet load that finds it unchanged publishes nothing, and so leaves the origin as it is.
  case cached
  /// Data with edits that aren't confirmed yet (5.20).
  ///
  /// When the last one ends, the data has its own origin again.
  case edited
}

/// The origin and the time of a publication's data, which later publications of the same data keep.
@usableFromInline
struct Provenance: Sendable {
  @usableFromInline let origin: DataOrigin
  /// When the data was accepted, minus its age at that time, on the publisher's clock; nil if that wasn't measured.
  @usableFromInline let freshSince: Duration?

  @inlinable
  init(_ origin: DataOrigin, freshSince: Duration?) {
    self.origin = origin
    self.freshSince = freshSince
  }
}
