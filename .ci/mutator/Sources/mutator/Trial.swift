import Foundation
import Synchronization

/// Runs the tests of a folder's rules with one change after the other.
struct Trial {
  private let copy: Copy
  private let program: String
  private var limits: [String: Double] = [:]

  /// Runs the tests without a change, which have to pass: those of all changes together, or one filter after the other.
  init(_ copy: Copy, together isTogether: Bool) throws {
    self.copy = copy
    let path = try mutator.run("swift", "build", "--package-path", copy.path, "--show-bin-path").text
    program = path.trimmingCharacters(in: .whitespacesAndNewlines) + "/SubPubPackageTests.xctest"
    let filters = Set(copy.mutants.map(\.tests))
    for filter in isTogether ? [filters.joined(separator: "|")] : Array(filters) {
      let start = Date()
      let end = run(nil, filter, within: 900)
      guard end == .survived else { throw Failure(description: "without a change, the tests \(filter): \(end)") }
      let time = Date().timeIntervalSince(start)
      limits[filter] = max(30, 4 * time)
      print("without a change, the tests take \(Int(time)) s" + (isTogether ? "" : ": \(filter)"))
    }
  }

  /// Tries changes one after the other, for so long; returns whether any was tried.
  func run(minutes: Double) -> Bool {
    let end = Date() + minutes * 60
    var (killed, tried) = (0, 0)
    for (number, mutant) in copy.mutants.enumerated() {
      guard Date() < end else { break }
      let result = run(number, mutant.tests, within: limits[mutant.tests] ?? 60)
      tried += 1
      if result.isKill { killed += 1 }
      print("\(result)  \(mutant.description)")
      fflush(nil)
    }
    print("\(killed) of \(tried) killed: \(100 * killed / max(1, tried))%")
    return tried > 0
  }

  /// Tries each change so often; returns whether all were killed each time.
  func run(runs: Int) -> Bool {
    var survivors = 0
    for (number, mutant) in copy.mutants.enumerated() {
      let results = Mutex<[Ending]>([])
      // Tests of threads that race need the machine for themselves; most others only wait, and one that hangs does
      // nothing.
      let atOnce = mutant.tests.contains("stochastic_") ? 1 : min(runs, mutant.mayHang ? 20 : 6)
      DispatchQueue.concurrentPerform(iterations: atOnce) { worker in
        for _ in stride(from: worker, to: runs, by: atOnce) {
          let result = run(number, mutant.tests, within: mutant.mayHang ? 30 : 90)
          results.withLock { $0.append(result) }
        }
      }
      let all = results.withLock { $0 }
      let killed = all.count { $0.isKill && ($0 != .hung || mutant.mayHang) }
      if killed < runs { survivors += 1 }
      let others = killed < runs ? "  \(Set(all.map(\.description)).sorted())" : ""
      print("\(killed < runs ? "SURVIVES" : "killed") \(killed)/\(runs)  \(mutant.description)\(others)")
      fflush(nil)
    }
    print("\(copy.mutants.count - survivors) of \(copy.mutants.count) mutants are killed in \(runs) of \(runs) runs")
    return survivors == 0
  }

  /// Runs tests until one fails, and says how that ended.
  private func run(_ mutant: Int?, _ filter: String, within limit: Double) -> Ending {
    var environment = ProcessInfo.processInfo.environment
    environment["MUTANT"] = mutant.map { "\($0)" }
    environment["SWIFT_BACKTRACE"] = "enable=no"
    // Without a change, all tests run at once.
    environment["TEST_LIMIT"] = mutant == nil ? "60" : "10"
    environment["EXPLORE_BOUND"] = "1"
    environment["TEST_ROUNDS"] = "full"
    let arguments = ["--filter", filter, "--testing-library", "swift-testing"]
    let group: ProcessGroup
    do { group = try ProcessGroup(program, arguments, environment: environment) } catch { return .noTest("\(error)") }
    func fails(_ output: [UInt8]) -> Bool { output.suffix(70_000).text.contains("recorded an issue") }
    let (status, output) = group.end(within: limit) { mutant != nil && fails($0) }
    if mutant != nil, fails(output) { return .failed("") }
    guard let status else { return .hung }
    if status & 0x7F != 0 { return .crashed }
    // The testing library says so if its filter has found nothing.
    if status >> 8 == EX_UNAVAILABLE { return .noTest("no test has run") }
    guard status == 0 else {
      let faults = output.text.split(separator: "\n").filter { $0.contains("recorded an issue") }
        .joined(separator: "\n")
      return .failed(mutant == nil ? "\n" + (faults.isEmpty ? output.suffix(4_000).text : faults) : "")
    }
    return output.text.contains("passed after") ? .survived : .noTest("no test has run")
  }
}

/// How a run of tests ended.
enum Ending: Equatable, CustomStringConvertible {
  case survived, hung, crashed
  case failed(String)
  case noTest(String)

  var isKill: Bool {
    switch self {
    case .hung, .crashed, .failed: true
    case .survived, .noTest: false
    }
  }

  var description: String {
    switch self {
    case .survived: "SURVIVES"
    case .hung: "killed: hangs"
    case .crashed: "killed: crashes"
    case .failed(let output): "killed\(output)"
    case .noTest(let reason): reason
    }
  }
}
