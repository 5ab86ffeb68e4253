extension String {
  /// The text on one line: what ends a line, controls a terminal, or changes the direction of text is escaped.
  ///
  /// Labels, keys, and the texts of errors may come from a client, and must not forge lines of a log or a table. Each
  /// such text passes through here, scalar by scalar, because `\r\n` is one character, which isn't `\n`.
  package var onOneLine: String {
    guard unicodeScalars.contains(where: \.isEscapedInLines) else { return self }
    var line = ""
    for scalar in unicodeScalars {
      if scalar.isEscapedInLines {
        line += scalar.escaped(asASCII: true)
      } else {
        line.unicodeScalars.append(scalar)
      }
    }
    return line
  }
}

extension Unicode.Scalar {
  fileprivate var isEscapedInLines: Bool {
    switch value {
    case ..<0x20, 0x7F...0x9F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}
