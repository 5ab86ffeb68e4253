import Testing

/// Each of these stops a process of its own. What it said is looked at, so that a stop for another reason doesn't pass.
@Suite(
  "A programmer's mistake stops the program, in debug and in release, and says what was wrong", .timeLimit(.minutes(1)))
enum MisuseTests {
  /// What the process had to say.
  static func message(_ result: ExitTest.Result?) -> String {
    String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
  }
}
