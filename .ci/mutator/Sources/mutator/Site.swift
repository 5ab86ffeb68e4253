/// A place in a line where a change can be planted behind a switch.
struct Site {
  enum Change: String { case turned, leftOut = "left out", boundary }

  let file: Int
  let line: Int
  /// The bytes that are replaced.
  let range: Range<Int>
  let change: Change
  /// For a boundary: the position of the operator, and what takes its place.
  var other: (range: Range<Int>, text: String)?

  /// The text with the change behind the switch with that number.
  func replacement(in line: [UInt8], number: Int) -> String {
    let text = Array(line[range]).text
    switch change {
    case .turned: return "((\(text)) != mutantIsOn(\(number)))"
    case .leftOut: return "if !mutantIsOn(\(number)) { \(text) }"
    case .boundary:
      guard let other else { return text }
      let changed =
        Array(line[range.lowerBound..<other.range.lowerBound]).text + other.text
        + Array(line[other.range.upperBound..<range.upperBound]).text
      return "(mutantIsOn(\(number)) ? (\(changed)) : (\(text)))"
    }
  }

  /// The changed line, for people.
  func description(in line: [UInt8]) -> String {
    let text = line.text.trimmingPrefix { $0 == " " }
    let part = Array(line[range]).text
    switch change {
    case .turned: return "\(text)   // turned: \(part)"
    case .leftOut: return "\(text)   // left out"
    case .boundary: return "\(text)   // \(other?.text ?? "") in \(part)"
    }
  }
}

/// Finds the places in a file.
struct SiteFinder {
  private let file: SourceFile
  private let number: Int
  private(set) var sites: [Site] = []
  /// Whether the innermost function or property that has begun returns a truth.
  private var returnsTruth = false

  init(_ file: SourceFile, number: Int) {
    (self.file, self.number) = (file, number)
    for line in file.code.indices { find(in: line) }
  }

  private mutating func find(in line: Int) {
    let code = file.code[line]
    guard let start = code.firstIndex(where: { $0 != UInt8(ascii: " ") }) else { return }
    let text = Array(code[start...]).text
    if text.contains("func ") || text.contains("init(") || text.contains("var ") && text.hasSuffix("{") {
      returnsTruth = text.contains("-> Bool {") || text.contains(": Bool {")
    }
    if let body = oneLineBody(of: code, text) {
      turn(line, body)
    } else if let condition = condition(in: code, start, text) {
      for clause in clauses(in: code, condition) { turn(line, clause) }
    } else if text.hasPrefix("return "), returnsTruth, isWhole(code) {
      turn(line, (start + 7)..<end(of: code))
    } else if isStatement(text, line) {
      sites.append(Site(file: number, line: line, range: start..<end(of: code), change: .leftOut))
    }
  }

  private func end(of code: [UInt8]) -> Int { (code.lastIndex { $0 != UInt8(ascii: " ") } ?? -1) + 1 }

  /// A truth: turned round, and with the boundary of its comparison moved.
  private mutating func turn(_ line: Int, _ range: Range<Int>) {
    let code = file.code[line]
    sites.append(Site(file: number, line: line, range: range, change: .turned))
    let text = Array(code[range]).text
    if ["&&", "||", " ? ", " ?? "].contains(where: text.contains) { return }
    for (old, new) in [(" < ", " <= "), (" > ", " >= "), (" <= ", " < "), (" >= ", " > ")] {
      let places = indices(of: old, in: code, range)
      if places.count == 1 {
        var site = Site(file: number, line: line, range: range, change: .boundary)
        site.other = (places[0]..<places[0] + old.utf8.count, new)
        sites.append(site)
      }
    }
  }

  private func indices(of text: String, in code: [UInt8], _ range: Range<Int>) -> [Int] {
    range.filter { code[$0..<range.upperBound].starts(with: text.utf8) }
  }

  /// The body of `var isX: Bool { … }` or `func f() -> Bool { … }` in one line.
  private func oneLineBody(of code: [UInt8], _ text: String) -> Range<Int>? {
    guard text.hasSuffix(" }"), text.contains("func ") || text.contains("var ") else { return nil }
    for opening in ["-> Bool { ", ": Bool { "] {
      guard let place = indices(of: opening, in: code, 0..<code.count).first else { continue }
      let body = place + opening.utf8.count..<end(of: code) - 2
      let inside = Array(code[body]).text
      if inside.isEmpty || inside.contains(";") || inside.hasPrefix("get") { return nil }
      return inside.hasPrefix("return ") ? body.lowerBound + 7..<body.upperBound : body
    }
    return nil
  }

  /// The conditions of an `if`, a `guard`, or a `while` that stands in one line.
  private func condition(in code: [UInt8], _ start: Int, _ text: String) -> Range<Int>? {
    for keyword in ["if ", "guard ", "while ", "} else if ", "else if "] where text.hasPrefix(keyword) {
      let from = start + keyword.utf8.count
      let ending = keyword == "guard " ? " else {" : " {"
      var depth = 0
      for index in from..<code.count {
        switch code[index] {
        case UInt8(ascii: "("), UInt8(ascii: "["): depth += 1
        case UInt8(ascii: ")"), UInt8(ascii: "]"): depth -= 1
        default: break
        }
        if depth == 0, code[index...].starts(with: ending.utf8) { return from..<index }
      }
    }
    return nil
  }

  /// The conditions that are truths, apart from each other.
  private func clauses(in code: [UInt8], _ range: Range<Int>) -> [Range<Int>] {
    var (depth, from) = (0, range.lowerBound)
    var clauses: [Range<Int>] = []
    for index in range {
      switch code[index] {
      case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
      case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
      case UInt8(ascii: ",") where depth == 0:
        clauses.append(from..<index)
        from = index + 2
      default: break
      }
    }
    clauses.append(from..<range.upperBound)
    return clauses.filter { clause in
      let text = Array(code[clause]).text
      // Without `while true`, its function may return nothing, far below.
      if text.isEmpty || text == "true" { return false }
      return !["let ", "var ", "case ", "#", "unsafe let ", "_ = "].contains(where: text.hasPrefix)
    }
  }

  /// Whether brackets that a line opens are closed there.
  private func isWhole(_ code: [UInt8]) -> Bool {
    var depth = 0
    for byte in code {
      switch byte {
      case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
      case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
      default: break
      }
      if depth < 0 { return false }
    }
    return depth == 0
  }

  private static let keywords = Set(
    """
    let var return case if guard for while switch repeat import func init deinit static private fileprivate public
    package internal final mutating nonisolated extension struct class enum actor protocol throw break continue
    default weak lazy typealias associatedtype subscript do else defer precondition preconditionFailure fatalError
    stopForMisuse super consuming borrowing indirect convenience isolated override required unowned where willSet
    didSet get set in infix prefix is as await yield
    """.split { $0.isWhitespace }.map(String.init))

  /// Whether a line is a call or an assignment that stands alone.
  private func isStatement(_ text: String, _ line: Int) -> Bool {
    guard let first = text.first, first.isLetter || first == "_" || first == "(" else { return false }
    let word = String(text.prefix { $0.isLetter || $0.isNumber || $0 == "_" })
    guard !Self.keywords.contains(word), isWhole(file.code[line]), !text.hasSuffix(","), !text.hasSuffix(":") else {
      return false
    }
    let isAssignment = [" = ", " += ", " -= ", " &+= ", " |= ", " *= "].contains(where: text.contains)
    let isCall = text.hasSuffix(")") && first != "(" && text.contains("(")
    guard isAssignment || isCall, !text.contains(" in "), !text.hasPrefix("@") else { return false }
    // Not a part of a longer expression, or of a list.
    let before = neighbour(of: line, -1), after = neighbour(of: line, 1)
    if [",", "(", "[", "=", "&&", "||", "?", ":", "->", "??", "+"].contains(where: before.hasSuffix) { return false }
    return ![".", "?", ":", "&&", "||", "+", "-", "=", ")", "]", "??"].contains(where: after.hasPrefix)
  }

  private func neighbour(of line: Int, _ step: Int) -> String {
    var line = line + step
    while file.code.indices.contains(line) {
      let text = String(file.code[line].text.trimmingPrefix { $0 == " " })
      let trimmed = text.reversed().drop { $0 == " " }.reversed()
      if !trimmed.isEmpty { return String(trimmed) }
      line += step
    }
    return ""
  }
}
