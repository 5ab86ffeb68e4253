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
    let console = Console()
    do {
      switch try Arguments.parse(Array(CommandLine.arguments.dropFirst())) {
      case .help: console.print(Arguments.usage)
      case .run(let arguments): exit(try await run(arguments, console))
      }
    } catch {
      console.complain("\(error)")
      exit(error is Fault ? 4 : 2)
    }
  }

  /// Returns the status to exit with. The main actor is free meanwhile: what is measured runs elsewhere.
  private static func run(_ arguments: Arguments, _ console: Console) async throws -> Int32 {
    let rows = try arguments.rows(of: Row.all)
    let file: ReportFile? = if let path = arguments.json { try ReportFile(path: path) } else { nil }
    let surroundings = Surroundings()
    for line in surroundings.lines + ["", Table.head] { console.print(line) }
    startSecondThread()

    var outcomes: [Outcome] = []
    for (index, row) in rows.enumerated() {
      console.show(progress: "\(index + 1) of \(rows.count): \(row.title)")
      let outcome = Outcome(row: row, pairs: try await row.pairs(arguments.pairs))
      outcomes.append(outcome)
      console.print(Table.line(of: outcome))
    }

    let verdict = Verdict(outcomes, isOptimized: surroundings.isOptimized)
    for line in [""] + verdict.lines { console.print(line) }
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
}
