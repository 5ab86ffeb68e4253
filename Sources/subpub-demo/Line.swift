/// A line of the screen: pieces of text, each with a style, that can be cut to a width.
struct Line {
  enum Style: String {
    case plain = ""
    case bold = "1"
    case dim = "2"
    case red = "31"
    case green = "32"
    case yellow = "33"
    case cyan = "36"
  }

  private var pieces: [(text: String, style: Style)] = []
  /// The number of columns that it takes.
  private(set) var width = 0

  init(_ text: String = "", _ style: Style = .plain) { append(text, style) }

  mutating func append(_ text: String, _ style: Style = .plain) {
    guard !text.isEmpty else { return }
    let text = text.printable
    pieces.append((text, style))
    width += text.columns
  }

  mutating func append(_ line: Line) {
    pieces += line.pieces
    width += line.width
  }

  /// Pads the line with spaces to a width.
  mutating func pad(to width: Int) { append(String(repeating: " ", count: max(0, width - self.width))) }

  /// Returns the line, cut to a width; a mark at its end shows that it was cut.
  func cut(to width: Int, mark: String) -> Line {
    if self.width <= width { return self }
    var (line, room) = (Line(), width - mark.columns)
    guard room >= 0 else { return line }
    for piece in pieces {
      let text = piece.text.prefix(columns: room)
      line.append(text, piece.style)
      room -= text.columns
      if text.count < piece.text.count { break }
    }
    line.append(mark, .dim)
    return line
  }

  /// The text without styles.
  var text: String { pieces.map(\.text).joined() }

  /// The text with the terminal's codes for its styles.
  var styled: String {
    pieces.map { $0.style == .plain ? $0.text : "\u{1B}[\($0.style.rawValue)m\($0.text)\u{1B}[0m" }.joined()
  }
}

extension String {
  /// The text as one line, without control characters or changes of direction; a file's name may contain any of them.
  var printable: String {
    let shown = unicodeScalars.map { $0.isPrintable ? $0 : "?" }
    return String(String.UnicodeScalarView(shown))
  }

  /// The number of columns that the text takes in a terminal; for characters of several scalars, it may be too high.
  var columns: Int { utf8.count == count ? count : unicodeScalars.reduce(0) { $0 + $1.columns } }

  /// Returns as many of the first characters as fit into a number of columns.
  func prefix(columns: Int) -> String {
    var room = columns
    return String(
      prefix {
        room -= String($0).columns
        return room >= 0
      })
  }
}

extension Unicode.Scalar {
  fileprivate var isPrintable: Bool {
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: false
    case .format: !(0x202A...0x202E).contains(value) && !(0x2066...0x2069).contains(value)
    default: true
    }
  }

  /// The usual width in terminals, for which the standard library has no property.
  fileprivate var columns: Int {
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark: value == 0xFE0F ? 1 : 0  // that one may make an emoji wide
    case .format: 0
    default: properties.isEmojiPresentation || Self.wide.contains { $0.contains(value) } ? 2 : 1
    }
  }

  /// The blocks of East Asian characters that take two columns.
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF,
    0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18CFF, 0x1AFF0...0x1B2FB, 0x1F000...0x1F02B,
    0x20000...0x3FFFD,
  ]
}

/// The characters that the screen is drawn with.
struct Glyphs {
  let ellipsis: String
  let spinner: [String]
  let loaded: String, failed: String, unknown: String
  let full: String, empty: String
  /// From the lowest to the highest.
  let levels: [String]

  static let unicode = Glyphs(
    ellipsis: "…", spinner: ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"], loaded: "●", failed: "✗", unknown: "○",
    full: "█", empty: "░", levels: ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"])
  static let ascii = Glyphs(
    ellipsis: "~", spinner: ["|", "/", "-", "\\"], loaded: "*", failed: "!", unknown: "?", full: "#", empty: ".",
    levels: ["_", ".", ":", "-", "=", "+", "*", "#"])

  /// Returns a bar that is filled to a fraction, red if that is almost all of it.
  func bar(_ fraction: Double, columns: Int) -> Line {
    let filled = Int((min(max(fraction, 0), 1) * Double(columns)).rounded())
    var line = Line(
      String(repeating: full, count: filled), fraction < 0.7 ? .green : fraction < 0.9 ? .yellow : .red)
    line.append(String(repeating: empty, count: columns - filled), .dim)
    return line
  }

  /// Returns a column for each fraction, or a space where there is none.
  func sparkline(_ fractions: [Double?]) -> Line {
    Line(
      fractions.map { fraction in
        guard let fraction else { return " " }
        return levels[min(Int(min(max(fraction, 0), 1) * Double(levels.count)), levels.count - 1)]
      }.joined(), .cyan)
  }
}
