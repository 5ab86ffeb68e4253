/// Reads what was noted of one publisher, and decides every rule that can be decided from it. It knows nothing of how
/// the library works: stamps, versions, threads and outcomes are all it goes by.
///
/// A recorded delivery lies inside the real one, which begins at the gate and ends when the subscriber is let go. So
/// "this was recorded after that moment" proves a violation, and the opposite proves nothing.
struct Checker {
  var course: Course
  var states: AcceptedStates
  private let findings = Findings()

  static func check(_ course: consuming Course) -> [Violation] {
    var checker = Checker(course: course)
    checker.checkAll()
    return checker.findings.violations
  }

  private init(course: Course) {
    self.course = course
    let last = course.finalVersion ?? UInt32(course.calls.count)
    states = AcceptedStates(upTo: last)
  }

  private mutating func checkAll() {
    learnStates()
    states.finish(course.calls)
    resolveVersions()
    checkCalls()
    if !course.isNumbered { checkLoadStates() }
    for index in course.histories.indices {
      checkDeliveries(index)
      checkBegin(course.histories[index])
      checkEnd(course.histories[index])
      checkCounts(course.histories[index])
      checkCancels(course.histories[index])
      checkLife(course.histories[index])
    }
    checkLanes()
    checkDrains()
    if let count = course.count {
      expect(
        count.living.contains(count.found), "2.05", "counts \(count.found) subscribers, of \(count.living) living")
    }
  }

  @inline(__always)
  func expect(_ holds: Bool, _ rule: String, _ text: @autoclosure () -> String) {
    if !holds { findings.add(rule, text) }
  }
}

extension History {
  /// For messages.
  var name: String { "\(face) on \(venue), \(policy), joined by \(joiner) as \(order)" }
}
