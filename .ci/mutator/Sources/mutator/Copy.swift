import Foundation

/// The copy of the package, and what is planted in it.
struct Copy {
  let path: String
  private(set) var files: [SourceFile] = []
  private(set) var mutants: [Mutant] = []

  init(at path: String, folders: [String]) throws {
    self.path = path
    for folder in folders {
      let names = try FileManager.default.subpathsOfDirectory(atPath: "\(path)/\(folder)").sorted()
      // The switch itself isn't the library's.
      for name in names where name.hasSuffix(".swift") && name != "MutantSwitch.swift" {
        let text = try String(contentsOfFile: "\(path)/\(folder)/\(name)", encoding: .utf8)
        files.append(SourceFile(path: "\(folder)/\(name)", text: text))
      }
    }
  }

  /// Plants changes in so many places that the seed chooses.
  mutating func plantRandomly(_ count: Int, seed: UInt64) {
    var random = SeededGenerator(state: seed)
    var sites = files.indices.flatMap { SiteFinder(files[$0], number: $0).sites }
    print("\(sites.count) places in \(files.count) files")
    sites.shuffle(using: &random)
    var taken: Set<[Int]> = []
    // One for each statement: two changes of the same text can't both be planted.
    sites = sites.filter { taken.insert([$0.file, $0.line, $0.range.lowerBound]).inserted }
    mutants = sites.prefix(count).map { Mutant($0, in: files[$0.file]) }
  }

  /// Plants named mutants: all, or those that have one of the words.
  mutating func plant(_ all: [NamedMutant], matching words: [String]) throws {
    var tests = ""
    for folder in ["Tests", "StressTests"] {
      for name in try FileManager.default.subpathsOfDirectory(atPath: "\(path)/\(folder)")
      where name.hasSuffix(".swift") {
        tests += try String(contentsOfFile: "\(path)/\(folder)/\(name)", encoding: .utf8)
      }
    }
    mutants = try all.filter { words.isEmpty || words.contains(where: $0.text.contains) }.map { named in
      guard tests.contains("func \(named.test)(") else {
        throw Failure(description: "there is no test \(named.test): \(named.sentence)")
      }
      return try named.mutant(in: files)
    }
    if mutants.isEmpty { throw Failure(description: "no mutant has one of these words: \(words)") }
    let sorted = mutants.sorted { ($0.file, $0.line, $0.range.lowerBound) < ($1.file, $1.line, $1.range.lowerBound) }
    for (first, second) in zip(sorted, sorted.dropFirst()) where first.overlaps(second) {
      throw Failure(description: "two mutants change the same text: \(first.description); \(second.description)")
    }
  }

  /// Plants everything, and builds.
  mutating func build(dropsWhatFails: Bool) throws {
    for round in 1...12 {
      try write()
      let output = try run("swift", "build", "--build-tests", "--package-path", path)
      guard output.status != 0 else {
        print("\(mutants.count) are planted, after \(round) builds")
        fflush(nil)
        return
      }
      let before = mutants.count
      if dropsWhatFails { drop(errorsIn: output.text) }
      guard mutants.count < before else {
        print(output.text.suffix(4_000))
        throw Failure(description: "the copy doesn't build")
      }
    }
    throw Failure(description: "the copy still doesn't build")
  }

  private func write() throws {
    var planted: [Int: [Int: [(Int, Mutant)]]] = [:]
    for (number, mutant) in mutants.enumerated() {
      planted[mutant.file, default: [:]][mutant.line, default: []].append((number, mutant))
    }
    for (index, file) in files.enumerated() {
      var lines = file.lines
      for (line, changes) in planted[index] ?? [:] {
        // From the end of the line, so that the positions stay right.
        for (number, mutant) in changes.sorted(by: { $0.1.range.lowerBound > $1.1.range.lowerBound }) {
          lines[line].replaceSubrange(mutant.range, with: mutant.planted(number).utf8)
        }
      }
      let text = Data(lines.joined(separator: [UInt8(ascii: "\n")]))
      let url = URL(filePath: "\(path)/\(file.path)")
      if try Data(contentsOf: url) != text { try text.write(to: url) }
    }
  }

  /// Drops the changes in lines with errors; if an error is elsewhere, the nearest ones before it.
  private mutating func drop(errorsIn output: String) {
    var dropped: Set<Int> = []
    for line in output.split(separator: "\n") where line.contains(": error: ") {
      let parts = line.split(separator: ":")
      guard parts.count > 2, let number = Int(parts[1]),
        let file = files.firstIndex(where: { parts[0].hasSuffix("/\($0.path)") || parts[0] == $0.path })
      else { continue }
      let here = mutants.indices.filter { mutants[$0].file == file && mutants[$0].line == number - 1 }
      if here.isEmpty {
        let near = mutants.indices.filter { mutants[$0].file == file && abs(mutants[$0].line - number) < 30 }
        dropped.formUnion(near)
      } else {
        dropped.formUnion(here)
      }
    }
    mutants = mutants.enumerated().filter { !dropped.contains($0.offset) }.map(\.element)
  }
}

struct SeededGenerator: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = state
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return bits ^ (bits >> 31)
  }
}
