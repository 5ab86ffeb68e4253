import SubPub
import Support

/// Decides from what was recorded of one manager which rules of section 5 were broken.
///
/// It knows nothing of how the library loads, only which call of the loader each value and error comes from.
struct LoadChecker {
  let history: LoadHistory
  private let findings = Findings()
  /// The calls whose value or error was published, with the first version of each.
  private(set) var published: [Int: UInt64] = [:]

  static func check(_ history: LoadHistory) -> [Violation] {
    var checker = LoadChecker(history: history)
    guard checker.isComplete() else { return checker.findings.violations }
    checker.checkPublications()
    checker.checkLogouts()
    checker.checkCalls()
    checker.checkWaits()
    checker.checkEnd()
    return checker.findings.violations
  }

  private init(history: LoadHistory) { self.history = history }

  func expect(_ holds: Bool, _ rule: String, _ text: @autoclosure () -> String) {
    if !holds { findings.add(rule, text) }
  }

  mutating func add(_ number: Int, in version: UInt64) {
    if published[number] == nil { published[number] = version }
  }

  private mutating func isComplete() -> Bool {
    let versions = history.publications.map(\.version)
    expect(
      versions.elementsEqual(0...history.finalVersion), "1.03",
      "of \(history.finalVersion) versions \(versions) were received")
    return findings.violations.isEmpty
  }

  /// No value of an earlier login appears after a logout.
  private mutating func checkLogouts() {
    for logout in history.logouts {
      for publication in history.publications.dropFirst(Int(logout.version) + 1) {
        let isNew = publication.items.allSatisfy { $0.login >= logout.login }
        expect(isNew, "5.04", "\(publication) was published after \(logout)")
      }
    }
  }

  private mutating func checkEnd() {
    expect(!history.hasHangingWaits, "5.05", "a wait for a load never returns")
    let open = history.calls.indices.filter { history.calls[$0].outcome == .open }
    expect(open.isEmpty, "5.04", "the calls \(open) were never cancelled")
    let isAtRest = history.publications.last?.phase != .loading || history.mix.contains(.foreign)
    expect(isAtRest, "5.05", "the state is loading forever: the one before was not restored")
  }
}

/// The calls of the loader, and the waits for them (5.03, 5.04, 5.07).
extension LoadChecker {
  /// If no load is superseded, its calls follow each other, and the result of the last one is published.
  mutating func checkCalls() {
    guard history.mix.isShared else { return }
    var failures = 0
    let calls = history.calls.enumerated().sorted { $0.element.begin < $1.element.begin }
    for (first, second) in zip(calls, calls.dropFirst()) {
      expect(
        first.element.end <= second.element.begin, "5.03", "the calls \(first.offset) and \(second.offset) run at once")
    }
    for (number, call) in calls {
      switch call.outcome {
      case .answered:
        failures = 0
        expect(published[number] != nil, "5.03", "the result of call \(number) was never published")
      case .failed:
        failures += 1
        let isLast = failures == history.attempts
        expect(
          (published[number] != nil) == isLast, "5.07",
          "call \(number) failed as number \(failures) of \(history.attempts)")
        if isLast { failures = 0 }
      case .cancelled: expect(false, "5.05", "call \(number) was cancelled, but its load wasn't")
      case .open: break
      }
    }
  }

  mutating func checkWaits() {
    for wait in history.waits {
      if let item = wait.item { expect(published[item] != nil, "5.03", "\(wait) has a value that was never published") }
      // A restarting load gets the result of a call that began after it.
      let source = wait.failure ?? wait.item
      let isRestarting = wait.operation == .restart
      if isRestarting, history.mix.isDisjoint(with: [.cancel, .logout, .foreign, .abandon, .set]),
        wait.phase != .loading, let source
      {
        expect(history.calls[source].begin >= wait.begin, "5.04", "\(wait) has the result of an earlier call")
      }
      // With pages, a list that is complete is returned as it is.
      guard history.mix.isShared, wait.operation == .refresh else { continue }
      let isEnded = wait.phase == .loaded || wait.phase == .error
      expect(isEnded, "5.03", "\(wait) has no result")
      if let source {
        expect(published[source, default: 0] > wait.version, "5.03", "\(wait) has an old result")
      }
    }
  }
}
