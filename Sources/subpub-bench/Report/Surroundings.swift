import Foundation

/// Where and of what the figures are.
struct Surroundings: Encodable {
  let date = Date()
  let machine = Self.machine
  /// Of the `swift` on the search path, which is the one of `swift run`.
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

  /// Of the checkout that this was compiled from.
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
