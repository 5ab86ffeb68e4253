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
    let arguments = Array(CommandLine.arguments.dropFirst())
    switch arguments.first {
    case "random" where arguments.count == 6:
      guard let minutes = Double(arguments[2]), let seed = UInt64(arguments[3]), let count = Int(arguments[4]) else {
        break
      }
      var copy = try Copy(at: arguments[1], folders: arguments[5].split(separator: ",").map(String.init))
      try Mutant.checkFolders(in: copy.path)
      copy.plantRandomly(count, seed: seed)
      try copy.build(dropsWhatFails: true)
      exit(try Trial(copy, together: false).run(minutes: minutes) ? 0 : 1)
    case "named" where arguments.count >= 4:
      guard let runs = Int(arguments[3]), runs > 0 else { break }
      var copy = try Copy(at: arguments[1], folders: ["Sources"])
      try copy.plant(NamedMutant.all(in: arguments[2]), matching: Array(arguments.dropFirst(4)))
      try copy.build(dropsWhatFails: false)
      // Each of these tests takes less than the start of a process.
      exit(try Trial(copy, together: true).run(runs: runs) ? 0 : 1)
    default: break
    }
    print("usage: mutator random COPY MINUTES SEED COUNT FOLDERS | mutator named COPY FILE RUNS [WORDS…]")
    exit(2)
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
