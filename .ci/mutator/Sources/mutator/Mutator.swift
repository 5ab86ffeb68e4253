import Foundation

/// Plants changes in a copy of the package, each behind a switch, builds it once, and tries them.
@main
struct Mutator {
  static func main() {
    do { try run() } catch {
      print("error: \(error)")
      exit(1)
    }
  }

  private static func run() throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 6, let seed = UInt64(arguments[2]), let minutes = Double(arguments[3]),
      let count = Int(arguments[4])
    else {
      print("usage: mutator COPY SEED MINUTES COUNT FOLDERS")
      exit(2)
    }
    var random = SeededGenerator(state: seed)
    let folders = arguments[5].split(separator: ",").map(String.init)
    var copy = try Copy(at: arguments[1], folders: folders)
    copy.choose(count, with: &random)
    try copy.build()
    let trial = try Trial(copy)
    exit(trial.run(minutes: minutes) ? 0 : 1)
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

/// The copy of the package, and what is planted in it.
struct Copy {
  let path: String
  private let folders: [String]
  private(set) var files: [SourceFile] = []
  private(set) var sites: [Site] = []

  init(at path: String, folders: [String]) throws {
    self.path = path
    self.folders = folders
    for folder in folders {
      let names = try FileManager.default.subpathsOfDirectory(atPath: "\(path)/\(folder)").sorted()
      for name in names where name.hasSuffix(".swift") {
        let text = try String(contentsOfFile: "\(path)/\(folder)/\(name)", encoding: .utf8)
        files.append(SourceFile(path: "\(folder)/\(name)", text: text))
        sites += SiteFinder(files[files.count - 1], number: files.count - 1).sites
      }
    }
    print("\(sites.count) places in \(files.count) files")
  }

  /// Keeps so many places, in an order that depends on the seed.
  mutating func choose(_ count: Int, with random: inout SeededGenerator) {
    sites.shuffle(using: &random)
    var taken: Set<[Int]> = []
    // One for each statement: two changes of the same text can't both be planted.
    sites = sites.filter { taken.insert([$0.file, $0.line, $0.range.lowerBound]).inserted }
    sites = Array(sites.prefix(count))
  }

  /// Plants everything, and builds; what doesn't compile is dropped.
  mutating func build() throws {
    for round in 1...12 {
      try write()
      let output = try run("swift", "build", "--build-tests", "--package-path", path)
      guard output.status != 0 else {
        print("\(sites.count) of them are planted, after \(round) builds")
        fflush(nil)
        return
      }
      let before = sites.count
      drop(errorsIn: output.text)
      guard sites.count < before else {
        print(output.text.suffix(4_000))
        throw Failure(description: "the copy doesn't build, and no planted change is to blame")
      }
    }
    throw Failure(description: "the copy still doesn't build")
  }

  private func write() throws {
    var planted: [Int: [Int: [(Int, Site)]]] = [:]
    for (number, site) in sites.enumerated() {
      planted[site.file, default: [:]][site.line, default: []].append((number, site))
    }
    for (index, file) in files.enumerated() {
      var lines = file.lines
      for (line, changes) in planted[index] ?? [:] {
        // From the end of the line, so that the positions stay right.
        for (number, site) in changes.sorted(by: { $0.1.range.lowerBound > $1.1.range.lowerBound }) {
          lines[line].replaceSubrange(site.range, with: site.replacement(in: file.lines[line], number: number).utf8)
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
      let here = sites.indices.filter { sites[$0].file == file && sites[$0].line == number - 1 }
      if here.isEmpty {
        let near = sites.indices.filter { sites[$0].file == file && abs(sites[$0].line - number) < 30 }
        dropped.formUnion(near)
      } else {
        dropped.formUnion(here)
      }
    }
    sites = sites.enumerated().filter { !dropped.contains($0.offset) }.map(\.element)
  }
}

struct Failure: Error, CustomStringConvertible {
  let description: String
}

/// Runs a command, and returns what it has printed.
func run(_ command: String...) throws -> (status: Int32, text: String) {
  let (process, pipe) = (Process(), Pipe())
  process.executableURL = URL(filePath: "/usr/bin/env")
  process.arguments = command
  process.standardOutput = pipe
  process.standardError = pipe
  try process.run()
  let text = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
  process.waitUntilExit()
  return (process.terminationStatus, text)
}
