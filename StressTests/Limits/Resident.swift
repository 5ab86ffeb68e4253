import Foundation

/// How much memory the process has now.
enum Resident {
  /// In megabytes; nil where the system doesn't say.
  static var megabytes: Int? {
    guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return nil }
    return text.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { ($0 * 4_096) >> 20 }
  }

  /// Runs `body`, prints what it says with the memory before and after, and tells how much it has grown.
  static func watching(_ name: String, _ body: () async throws -> String) async rethrows -> Int {
    let before = megabytes
    let begin = Stamp.now()
    let found = try await body()
    let milliseconds = (Stamp.now() - begin) / 1_000_000
    let after = megabytes
    let memory = before.map { "\($0) MB before, \(after ?? 0) MB after" } ?? "memory unknown"
    print("limit: \(name): \(found); \(milliseconds) ms; \(memory)")
    return (after ?? 0) - (before ?? 0)
  }
}
