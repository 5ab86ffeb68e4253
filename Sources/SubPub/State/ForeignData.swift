// Data from outside the program is checked before it is used (5.29).

extension DecodingError {
  /// Returns the error of data that can be decoded, but that nobody can have encoded.
  package static func damaged(_ what: String, at path: [any CodingKey]) -> DecodingError {
    .dataCorrupted(Context(codingPath: path, debugDescription: what))
  }
}

extension Int {
  /// The numbers that a count may have: adding to one can't overflow.
  package static let counts = 0...Int.max / 2
}

extension KeyedDecodingContainer {
  /// Decodes a count, which has to be one of `Int.counts`.
  package func decodeCount(forKey key: Key) throws -> Int {
    let count = try decode(Int.self, forKey: key)
    guard Int.counts.contains(count) else {
      throw DecodingError.damaged("\(count) can't be a count", at: codingPath + [key])
    }
    return count
  }
}

extension String {
  /// The text itself, or its beginning and how long it was.
  ///
  /// An error that isn't the library's may describe a whole value, or a whole file.
  package var shortened: String { shortened(to: 4 << 10) }

  /// Does the same with another limit, in bytes.
  package func shortened(to limit: Int) -> String {
    guard utf8.count > limit else { return self }
    // With room for the note, so that nobody cuts the text again. The last character may be cut in two.
    let beginning = String(decoding: utf8.prefix(limit - 64), as: UTF8.self).dropLast()
    return "\(beginning)… (cut: the text has \(utf8.count) bytes)"
  }
}
