import Foundation

/// Runs the tests of a folder's rules with one change after the other.
struct Trial {
  /// The tests that name a folder's rules.
  private static let tests: [(folder: String, filter: String)] = [
    ("Sources/SubPubRedis/", "_8_[0-9][0-9]_"),
    ("Sources/SubPubFoundation/", "FileCache|_5_1[0-2]_"),
    ("Sources/SubPubTesting/", "SubPubTests.*(Gate|Recorder|Manual|Seeded)|_7_"),
    ("Sources/SubPub/Loading/", "_5_[0-9][0-9]_"),
    ("Sources/SubPub/Directory/", "Directory|_5_19_|_3_07_"),
    ("", "_[1-46]_[0-9][0-9]_|_5_22_"),
  ]

  private let copy: Copy
  private let program: String
  private var limits: [String: Double] = [:]

  /// Runs the tests without a change: they have to pass.
  init(_ copy: Copy) throws {
    self.copy = copy
    let path = try mutator.run("swift", "build", "--package-path", copy.path, "--show-bin-path").text
    program = path.trimmingCharacters(in: .whitespacesAndNewlines) + "/SubPubPackageTests.xctest"
    for filter in Set(copy.sites.map { Self.filter(for: copy.files[$0.file].path) }) {
      let start = Date()
      let end = run(nil, filter, within: 900)
      guard end == "survived" else { throw Failure(description: "without a change, the tests \(filter) end: \(end)") }
      limits[filter] = max(30, 4 * Date().timeIntervalSince(start))
      print("the tests \(filter) take \(Int(Date().timeIntervalSince(start))) s")
    }
  }

  /// Tries changes for so long; returns whether any was tried.
  func run(minutes: Double) -> Bool {
    let end = Date() + minutes * 60
    var counts: [String: Int] = [:]
    for (number, site) in copy.sites.enumerated() {
      guard Date() < end else { break }
      let file = copy.files[site.file]
      let filter = Self.filter(for: file.path)
      let result = run(number, filter, within: limits[filter] ?? 60)
      counts[result == "survived" ? "survived" : "killed", default: 0] += 1
      print("\(result)  \(file.path):\(site.line + 1)  \(site.description(in: file.lines[site.line]))")
      fflush(nil)
    }
    let (killed, survived) = (counts["killed"] ?? 0, counts["survived"] ?? 0)
    print("\(killed) killed, \(survived) survived: \(100 * killed / max(1, killed + survived))%")
    return killed + survived > 0
  }

  private static func filter(for path: String) -> String {
    tests.first { path.hasPrefix($0.folder) }?.filter ?? ""
  }

  /// Runs tests until one fails, and says how that ended.
  private func run(_ mutant: Int?, _ filter: String, within limit: Double) -> String {
    let (process, pipe) = (Process(), Pipe())
    process.executableURL = URL(filePath: program)
    process.arguments = ["--filter", filter, "--testing-library", "swift-testing"]
    var environment = ProcessInfo.processInfo.environment
    environment["MUTANT"] = mutant.map { "\($0)" }
    environment["SWIFT_BACKTRACE"] = "enable=no"
    environment["TEST_LIMIT"] = "10"
    process.environment = environment
    process.standardOutput = pipe
    process.standardError = pipe
    do { try process.run() } catch { return "no start: \(error)" }
    let end = Date() + limit
    let descriptor = pipe.fileHandleForReading.fileDescriptor
    var output: [UInt8] = []
    var bytes = [UInt8](repeating: 0, count: 65_536)
    defer {
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }
    while true {
      var waiting = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
      let left = end.timeIntervalSinceNow
      guard left > 0, poll(&waiting, 1, Int32(left * 1_000)) != 0 else { return "killed: hangs" }
      let count = read(descriptor, &bytes, bytes.count)
      if count <= 0 { break }
      output += bytes[..<count]
      if mutant != nil, output.suffix(4_096 + count).contains(sequence: "recorded an issue".utf8) { return "killed" }
    }
    process.waitUntilExit()
    if process.terminationReason == .uncaughtSignal { return "killed: crashes" }
    guard process.terminationStatus == 0 else {
      return mutant == nil ? "failed: \(output.suffix(4_000).map { $0 }.text)" : "killed"
    }
    return output.contains(sequence: "passed after".utf8) ? "survived" : "no test ran"
  }
}

extension Collection<UInt8> {
  func contains(sequence: some Collection<UInt8>) -> Bool {
    var rest = self[...]
    while let first = sequence.first, let place = rest.firstIndex(of: first) {
      if rest[place...].starts(with: sequence) { return true }
      rest = rest[rest.index(after: place)...]
    }
    return false
  }
}
