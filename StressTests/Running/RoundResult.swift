/// What a round hands to the checker.
struct RoundResult: Sendable {
  var courses: [Course] = []
  var floods: [Flood] = []
  var loads: [LoadCourse] = []
  /// What the round itself has seen to be wrong.
  var violations: [Violation] = []
  /// What isn't in a course.
  var operations = 0

  func check() -> [Violation] {
    violations + courses.flatMap { Checker.check($0) } + floods.flatMap { $0.check() }
      + loads.flatMap { LoadChecker.check($0) }
  }
}
