extension String {
  /// Itself, in one line, and without anything that a terminal would obey: a file's name may hold any character.
  var printable: String {
    let shown = unicodeScalars.map { $0.properties.generalCategory == .control ? "?" : $0 }
    return String(String.UnicodeScalarView(shown))
  }
}
