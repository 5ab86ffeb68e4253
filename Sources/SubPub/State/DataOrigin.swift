/// Where the data of a publication comes from.
@frozen public enum DataOrigin: String, Hashable, Codable, Sendable {
  /// It was published by hand: by the publisher's transitions, or by a manager's `set(_:)`.
  case published
  /// A manager has loaded it.
  case loaded
  /// A manager has read it from its cache.
  ///
  /// If a quiet load finds it unchanged, nothing is published, so the origin stays `cached`.
  case cached
  /// Data with edits that aren't confirmed yet (5.20).
  ///
  /// When the last one ends, the data has its own origin again.
  case edited
}

/// The origin and the time of a publication's data, which later publications of the same data keep.
@usableFromInline @frozen
struct Provenance: Sendable {
  @usableFromInline let origin: DataOrigin
  /// Whether another process has published the data.
  @usableFromInline let isForeign: Bool
  /// When the data was accepted, minus its age at that time, on the publisher's clock; nil if that wasn't measured.
  @usableFromInline let freshSince: Duration?

  @inlinable
  init(_ origin: DataOrigin, freshSince: Duration?, isForeign: Bool = false) {
    self.origin = origin
    self.isForeign = isForeign
    self.freshSince = freshSince
  }
}

/// What has happened to data since it was published.
struct DataValidity: Equatable {
  /// Whether it counts as stale (5.15).
  var isInvalidated = false
  /// When it was last found unchanged; nil if it never was (5.18).
  var confirmation: Confirmation?

  struct Confirmation: Equatable {
    /// The time on the manager's clock; nil if it wasn't measured.
    let time: Duration?
  }

  /// Returns when the data was new; nil if that isn't known.
  func freshSince(_ provenance: Provenance?) -> Duration? {
    // Data that was found unchanged counts as new again, although nothing was published.
    if let confirmation { confirmation.time } else { provenance?.freshSince }
  }
}
