import Testing

@Suite("States and the values around them", .timeLimit(.minutes(1)))
enum StateTests {
  enum Failure: Error, Equatable { case offline, denied }
}
