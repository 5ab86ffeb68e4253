/// Identifies one publication, also for a client that was disconnected in the meantime (6.05).
///
/// As text, it can be the identifier of a server-sent event: ``StatePublisher/publications(after:buffering:label:)``
/// continues after it.
public struct PublicationID: Hashable, Sendable, LosslessStringConvertible {
  /// Differs for each publisher, and for each run of a program.
  public let epoch: UInt64
  /// The version of the publication.
  public let version: UInt64

  /// Creates an identifier.
  ///
  /// - Parameters:
  ///   - epoch: Differs for each publisher, and for each run of a program.
  ///   - version: The version of the publication.
  public init(epoch: UInt64, version: UInt64) { (self.epoch, self.version) = (epoch, version) }

  /// Reads an identifier from its description.
  ///
  /// - Parameter description: Two decimal numbers with a hyphen between them. Anything else makes nil, so the header of
  ///   a request can be passed as it is.
  public init?(_ description: String) {
    let text = description.utf8
    guard let hyphen = text.firstIndex(of: UInt8(ascii: "-")), let epoch = Self.number(text[..<hyphen]),
      let version = Self.number(text[text.index(after: hyphen)...])
    else { return nil }
    self.init(epoch: epoch, version: version)
  }

  /// The text for clients: `17262863864732444738-42`.
  public var description: String { "\(epoch)-\(version)" }

  /// Reads a number as `description` writes it: no sign, and no zero in front.
  private static func number(_ text: Substring.UTF8View) -> UInt64? {
    guard text.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
      text.count == 1 || text.first != UInt8(ascii: "0")
    else { return nil }
    return UInt64(Substring(text))
  }
}

extension PublisherID {
  /// Random for each run of the program, so that two runs, or two processes, have no epoch in common.
  private static let firstEpoch = UInt64.random(in: 0...(.max))

  /// The epoch of the publisher's publications.
  var epoch: UInt64 { Self.firstEpoch &+ number }
}

extension StatePublication {
  /// Identifies the publication for clients that come back (6.05).
  ///
  /// The publications of a mirror of another process have the identifiers that they have there.
  public var id: PublicationID { carried?.id ?? PublicationID(epoch: source.epoch, version: version) }
}
