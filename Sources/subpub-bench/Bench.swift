// subpub-bench measures the library as its users build it: from a module of its own, by its public API. Each row is a
// piece of work that we and a rival do in turn, pair by pair, in one process. Begin with `Row` and the files beside it.
//
//     Rows        what is measured
//     Ours        the library, in the shapes that rows need
//     Rivals      what the toolchain offers instead
//     Listening   the subscribers, which check that nothing is lost or out of order
//     Measuring   how figures are taken
//     Report      what is made of them

import Foundation

@main
struct Bench {
  static func main() async {
    do {
      switch try Arguments.parse(Array(CommandLine.arguments.dropFirst())) {
      case .help: say(Arguments.usage)
      case .run(let arguments): exit(try await run(arguments))
      }
    } catch {
      complain("\(error)")
      exit(error is Fault ? 4 : 2)
    }
  }

  /// Returns the status to exit with.
  private static func run(_ arguments: Arguments) async throws -> Int32 {
    let rows = try arguments.rows(of: Row.all)
    let file: ReportFile? = if let path = arguments.json { try ReportFile(path: path) } else { nil }
    let surroundings = Surroundings()
    for line in surroundings.lines + ["", Table.head] { say(line) }
    startSecondThread()

    var outcomes: [Outcome] = []
    for (index, row) in rows.enumerated() {
      complain("\(index + 1) of \(rows.count): \(row.title)")
      let outcome = Outcome(row: row, pairs: try await row.pairs(arguments.pairs))
      outcomes.append(outcome)
      say(Table.line(of: outcome))
    }

    let verdict = Verdict(outcomes, isOptimized: surroundings.isOptimized)
    say("")
    for line in verdict.lines { say(line) }
    try file?.write(Report(outcomes, verdict: verdict, in: surroundings))
    return verdict.exitStatus
  }

  /// In a process that has one thread, glibc elides locks, and every figure flatters.
  private static func startSecondThread() {
    let thread = Thread {
      while true { sleep(.max) }
    }
    thread.start()
  }

  /// At once, also into a pipe.
  private static func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

  /// Progress and what went wrong; the output is the table's alone.
  private static func complain(_ line: String) {
    FileHandle.standardError.write(Data("subpub-bench: \(line)\n".utf8))
  }
}
