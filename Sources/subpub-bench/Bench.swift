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
    guard Self.isOptimized else {
      console.complain("void: a debug build says nothing about speed; use swift run -c release subpub-bench")
      return Verdict.statusOfVoid
    }
    let file: ReportFile? = if let path = arguments.json { try ReportFile(path: path) } else { nil }
    let surroundings = Surroundings()
    for line in surroundings.lines + ["", Table.head] { console.print(line) }
    let watchdog = Watchdog()
    watchdog.start { row in
      console.complain("\(row): takes too long; something that was lost is waited for")
      exit(4)
    }

    var outcomes: [Outcome] = []
    for (index, row) in rows.enumerated() {
      console.show(progress: "\(index + 1) of \(rows.count): \(row.title)")
      watchdog.expect(row.title, within: .seconds(10) * (arguments.pairs + 1))
      let outcome = Outcome(row: row, pairs: try await row.pairs(arguments.pairs))
      outcomes.append(outcome)
      console.print(Table.line(of: outcome))
    }

    let verdict = Verdict(outcomes)
    for line in [""] + verdict.lines { console.print(line) }
    try file?.write(Report(outcomes, verdict: verdict, in: surroundings))
    return verdict.exitStatus
  }

  private static var isOptimized: Bool {
    #if DEBUG
      false
    #else
      true
    #endif
  }
}
