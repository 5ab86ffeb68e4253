import Foundation

/// A file of Swift, and the same text with blanks in place of comments and the contents of strings.
struct SourceFile {
  let path: String
  let lines: [[UInt8]]
  /// As long as `lines`, byte by byte.
  let code: [[UInt8]]

  init(path: String, text: String) {
    self.path = path
    lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { Array($0.utf8) }
    var masked = Array(text.utf8)
    Self.mask(&masked)
    code = masked.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { Array($0) }
  }

  private static func mask(_ bytes: inout [UInt8]) {
    var index = 0
    func starts(_ text: String) -> Bool { bytes[index...].starts(with: text.utf8) }
    func blank(_ count: Int) {
      for _ in 0..<count where index < bytes.count {
        if bytes[index] != UInt8(ascii: "\n") { bytes[index] = UInt8(ascii: " ") }
        index += 1
      }
    }
    while index < bytes.count {
      if starts("//") {
        while index < bytes.count, bytes[index] != UInt8(ascii: "\n") { blank(1) }
      } else if starts("/*") {
        var depth = 0
        repeat {
          if starts("/*") { depth += 1 } else if starts("*/") { depth -= 1 } else { blank(1); continue }
          blank(2)
        } while depth > 0 && index < bytes.count
      } else if starts("\"\"\"") {
        // The quotes stay, so that a masked string is still an expression.
        index += 3
        while index < bytes.count, !starts("\"\"\"") { blank(starts("\\") ? 2 : 1) }
        index += 3
      } else if starts("\"") {
        index += 1
        var depth = 0
        while index < bytes.count, depth > 0 || !starts("\"") {
          if starts("\\(") { depth += 1; blank(2); continue }
          if depth > 0, starts("(") { depth += 1 }
          if depth > 0, starts(")") { depth -= 1 }
          blank(starts("\\") ? 2 : 1)
        }
        index += 1
      } else {
        index += 1
      }
    }
  }
}

extension [UInt8] {
  var text: String { String(decoding: self, as: UTF8.self) }
}
