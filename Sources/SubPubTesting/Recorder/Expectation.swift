/// What a test waits for, how long, and where it says so.
struct Expectation {
  let text: String
  let limit: Duration
  let deadline: ContinuousClock.Instant
  let fileID: String
  let line: Int

  /// The longest wait; a deadline beyond what the clock can count would stop the program.
  private static let longest = Duration.seconds(1_000_000_000)

  /// Starts the time.
  init(_ text: String, within limit: Duration, fileID: String, line: Int) {
    self.text = text
    self.limit = limit
    deadline = .now.advanced(by: min(limit, Self.longest))
    self.fileID = fileID
    self.line = line
  }
}
