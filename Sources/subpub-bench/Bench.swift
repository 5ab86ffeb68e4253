// subpub-bench measures the library as its users build it: from another module, through its public API. Each row is a
// piece of work that SubPub and a rival do alternately, pair by pair, in one process. Begin with `Row` and the files in
// its folder.
//
//     Rows        the measurements
//     Rivals      the alternatives that the toolchain offers
//     Listening   the subscribers, which check that no delivery is lost or out of order
//     Measuring   SubPub in the shapes that rows need, and the ways to measure
//     Report      the results

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
      console.reportError("\(error)")
      exit(error is MeasurementError ? 4 : 2)
    }
  }

  /// Runs the benchmark and returns the exit status.
  ///
  /// The main actor is free in the meantime: the work that is measured runs elsewhere.
  private static func run(_ arguments: Arguments, _ console: Console) async throws -> Int32 {
    let rows = try arguments.rows(of: Row.all)
    guard Self.isOptimized else {
      console.reportError("void: a debug build can't be measured; use swift run -c release subpub-bench")
      return Verdict.statusOfVoid
    }
    let file = try arguments.json.map(ReportFile.init)
    let chart = try arguments.chart.map(ReportFile.init)
    let environment = RunEnvironment()
    for line in environment.lines + ["", Table.head] { console.print(line) }
    let watchdog = Watchdog()
    watchdog.start { row in
      console.reportError("\(row): takes too long, probably because a delivery was lost")
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
    try file?.write(Report(outcomes, verdict: verdict, in: environment))
    try chart?.write(Chart(outcomes, in: environment))
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
