import Foundation

/// The environment of a run: machine, toolchain, commit, and load.
struct RunEnvironment: Encodable {
  let date = Date()
  let machine = Self.machine
  /// The version of the `swift` on the search path, which is the one that `swift run` uses.
  let toolchain = Command.output(of: "swift", "--version")?.prefix { $0 != "\n" }.description ?? "unknown"
  let commit = Self.commit
  let load = Self.load

  var lines: [String] {
    [
      "machine    \(machine)",
      "toolchain  \(toolchain)",
      "commit     \(commit)",
      "date       \(date.formatted(.iso8601)), load \(load.map { $0.ratio } ?? "unknown")",
    ]
  }

  private static var machine: String {
    let info = try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)
    let model = info?.split(separator: "\n").first { $0.hasPrefix("model name") }?.split(separator: ":").last
    let process = ProcessInfo.processInfo
    return [
      model?.trimmingCharacters(in: .whitespaces), "\(process.activeProcessorCount) cores",
      process.operatingSystemVersionString, kernel,
    ].compactMap(\.self).joined(separator: ", ")
  }

  private static var kernel: String? {
    Command.output(of: "uname", "-srm")
  }

  /// The commit of the checkout that this program was compiled from.
  private static var commit: String {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().path()
    guard let commit = Command.output(of: "git", "-C", folder, "rev-parse", "--short=12", "HEAD") else {
      return "unknown"
    }
    let changes = Command.output(of: "git", "-C", folder, "status", "--porcelain")
    return changes == "" ? commit : "\(commit), with changes"
  }

  private static var load: Double? {
    var averages = [0.0]
    return unsafe getloadavg(&averages, 1) == 1 ? averages[0] : nil
  }
}

/// A program on the search path.
enum Command {
  /// Returns the program's output; nil if it doesn't exist or fails.
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
