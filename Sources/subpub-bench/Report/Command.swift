import Foundation

/// A program on the search path.
enum Command {
  /// What it prints; nil if it isn't there, or fails.
  static func output(of name: String, _ arguments: String...) -> String? {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [name] + arguments
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    do {
      try process.run()
      let data = try output.fileHandleForReading.readToEnd() ?? Data()
      process.waitUntilExit()
      guard process.terminationStatus == 0 else { return nil }
      return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .newlines)
    } catch {
      return nil
    }
  }
}
