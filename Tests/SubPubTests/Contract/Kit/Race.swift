import SubPubTesting

/// Threads that start together.
enum Race {
  /// Runs the body once for each number, on threads of their own, and returns when all have ended.
  static func run(threads: Int, _ body: @escaping @Sendable (_ thread: Int) -> Void) async throws {
    let (start, end) = (Gate(), Event())
    defer { start.open() }
    for thread in 0..<threads {
      OwnThread.start {
        start.pass()
        body(thread)
        end.happen()
      }
    }
    await start.waitUntilHeld(threads: threads)
    start.open()
    try await end.wait(count: threads)
  }
}
