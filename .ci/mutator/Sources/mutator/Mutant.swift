import Foundation

/// A change of one line, behind a switch.
struct Mutant {
  let file: Int
  let line: Int
  /// The bytes that are replaced.
  let range: Range<Int>
  /// The text with the change behind the switch with that number.
  let planted: @Sendable (_ number: Int) -> String
  let description: String
  /// The tests that have to find it, as a filter.
  let tests: String
  /// Whether a test that hangs has found it.
  let mayHang: Bool

  /// A random change, for all tests of its folder's rules.
  init(_ site: Site, in file: SourceFile) {
    let line = file.lines[site.line]
    (self.file, self.line, range) = (site.file, site.line, site.range)
    planted = { site.replacement(in: line, number: $0) }
    description = "\(file.path):\(site.line + 1)  \(site.description(in: line))"
    tests = Self.tests.first { file.path.hasPrefix($0.folder) }?.filter ?? ""
    mayHang = true
  }

  /// Suites of the lower folders that have tests without a rule.
  private static let parts = """
    LoadState|PublisherID|Context|Transition|Update|Value|Observed|Description|Subscriber|Limit|HandBack|Loop|Spin
    """

  /// The tests of a folder: those that name its rules, and those of its suites without one.
  private static let tests: [(folder: String, filter: String)] = [
    ("Sources/SubPubRedis/", "_8_[0-9][0-9]_"),
    ("Sources/SubPubFoundation/", "FileCache|_5_1[0-2]_"),
    ("Sources/SubPubTesting/", "SubPubTests.*(Gate|Recorder|Manual|Seeded)|_7_"),
    ("Sources/SubPub/Managing/", "_5_[0-9][0-9]_|RetryPolicy"),
    ("Sources/SubPub/Caches/", "_5_[0-9][0-9]_|MemoryCache"),
    ("Sources/SubPub/Families/", "_5_(01|15|19|25|28)_"),
    ("Sources/SubPub/Directory/", "Directory|_5_19_|_3_07_"),
    ("Sources/SubPub/Engine/Watching/", "_7_|_6_05_|_2_05_|_5_21_"),
    ("Sources/SubPub/", "_[1-46]_[0-9][0-9]_|_5_(06|15|19|21|22|29)_|SubPubTests.*(\(parts))Tests"),
  ]

  /// Fails if a folder was renamed: its changes would be tried with tests of other rules, and survive.
  static func checkFolders(in copy: String) throws {
    for (folder, _) in tests where !FileManager.default.fileExists(atPath: "\(copy)/\(folder)") {
      throw Failure(description: "there is no \(folder), whose tests Mutant.swift names")
    }
  }
}

extension Mutant {
  init(_ named: NamedMutant, file: Int, line: Int, range: Range<Int>) {
    (self.file, self.line, self.range) = (file, line, range)
    planted = { named.replacement.replacingOccurrences(of: "mutated", with: "mutantIsOn(\($0))") }
    description = "\(named.sentence)  \(named.test)"
    tests = "\(named.test)\\("
    mayHang = named.mayHang
  }
}

extension Mutant {
  func overlaps(_ other: Mutant) -> Bool {
    file == other.file && line == other.line && range.overlaps(other.range)
  }
}

/// A mutant of `.ci/mutants.txt`, whose head describes the format.
struct NamedMutant {
  let text: String
  let sentence: String
  let test: String
  let mayHang: Bool
  let path: String
  let found: String
  let replacement: String

  /// Reads all mutants of a file.
  static func all(in path: String) throws -> [NamedMutant] {
    try String(contentsOfFile: path, encoding: .utf8).components(separatedBy: "\n\n").filter { !$0.hasPrefix("#") }
      .map { try NamedMutant($0.trimmingCharacters(in: .newlines)) }
  }

  private init(_ text: String) throws {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    guard lines.count == 5, lines[3].hasPrefix("- "), lines[4].hasPrefix("+ "), lines[4].contains("mutated") else {
      throw Failure(description: "not a sentence, a test, a file, a line with - and one with + and `mutated`:\n\(text)")
    }
    self.text = text
    sentence = lines[0]
    mayHang = lines[1].hasSuffix(" hangs")
    test = mayHang ? String(lines[1].dropLast(6)) : lines[1]
    path = lines[2]
    found = String(lines[3].dropFirst(2))
    replacement = String(lines[4].dropFirst(2))
    guard test.firstMatch(of: /_[1-8]_[0-9][0-9]_/) != nil else {
      throw Failure(description: "the test names no rule: \(text)")
    }
  }

  /// Finds the place, of which there has to be one.
  func mutant(in files: [SourceFile]) throws -> Mutant {
    guard let file = files.firstIndex(where: { $0.path == path }) else {
      throw Failure(description: "there is no file \(path): \(sentence)")
    }
    let sought = Array(found.utf8)
    var places: [(line: Int, start: Int)] = []
    for (line, bytes) in files[file].lines.enumerated() where bytes.count >= sought.count {
      for start in 0...(bytes.count - sought.count) where bytes[start...].starts(with: sought) {
        places.append((line, start))
      }
    }
    guard places.count == 1 else {
      throw Failure(description: "\(path) has \(places.count) times: \(found)")
    }
    return Mutant(self, file: file, line: places[0].line, range: places[0].start..<places[0].start + sought.count)
  }
}
