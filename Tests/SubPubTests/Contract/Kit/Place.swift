// Exported, so that tests of the contract can use places without a second import.
@_exported import Support

extension Place {
  /// Runs the body on the context, and waits until it has run.
  func run(_ body: @escaping @Sendable () -> Void) async throws {
    let done = Event()
    start {
      body()
      done.happen()
    }
    try await done.wait()
  }
}
