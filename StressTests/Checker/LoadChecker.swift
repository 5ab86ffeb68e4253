import SubPub

/// Reads what was noted of one manager, and decides the rules of section 5 that can be decided from it. It knows nothing of how loads are carried
/// out: which call of the loader stands behind a state is all it goes by.
struct LoadChecker {
  let course: LoadCourse
  private let findings = Findings()
  /// Calls whose value or error was published, and with which version first.
  private(set) var published: [Int: UInt64] = [:]

  static func check(_ course: LoadCourse) -> [Violation] {
    var checker = LoadChecker(course: course)
    guard checker.isComplete() else { return checker.findings.violations }
    checker.checkPublications()
    checker.checkLogouts()
    checker.checkCalls()
    checker.checkWaits()
    checker.checkEnd()
    return checker.findings.violations
  }

  private init(course: LoadCourse) { self.course = course }

  func expect(_ holds: Bool, _ rule: String, _ text: @autoclosure () -> String) {
    if !holds { findings.add(rule, text) }
  }

  mutating func note(_ number: Int, in version: UInt64) {
    if published[number] == nil { published[number] = version }
  }

  private mutating func isComplete() -> Bool {
    let versions = course.publications.map(\.version)
    expect(
      versions.elementsEqual(0...course.finalVersion), "1.03", "of \(course.finalVersion) versions came \(versions)")
    return findings.violations.isEmpty
  }

  /// No payload of an earlier login after a logout.
  private mutating func checkLogouts() {
    for logout in course.logouts {
      for publication in course.publications.dropFirst(Int(logout.version) + 1) {
        let isNew = publication.tickets.allSatisfy { $0.login >= logout.login }
        expect(isNew, "5.04", "\(publication) shows up after \(logout)")
      }
    }
  }

  private mutating func checkEnd() {
    expect(!course.hasHangingWaits, "5.05", "somebody waits for a load for good")
    let open = course.calls.indices.filter { course.calls[$0].outcome == .open }
    expect(open.isEmpty, "5.04", "nobody has cancelled the calls \(open)")
    let isAtRest = course.publications.last?.phase != .loading || course.mix.contains(.foreign)
    expect(isAtRest, "5.05", "the state of before was not restored: loading for good")
  }
}
