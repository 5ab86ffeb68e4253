/// Editing the data.
///
/// As with ``LoadingManager``: each element replaces the server's data, and pending edits stay on top of it (5.20).
extension StreamManager {
  /// Shows an edit at once, sends it to the server, and then shows the server's answer (5.20).
  ///
  /// An answer counts as stale, until the next element, if an element has come while the edit was being sent. The rest
  /// is as with ``LoadingManager/mutate(showing:send:)``.
  ///
  /// - Parameters:
  ///   - edit: Makes the edited value. Runs on no particular thread while no lock is held, and again with each element,
  ///     so keep it short and free of side effects.
  ///   - send: Sends the edit, and returns the server's data. Called once, outside every actor, in a task that isn't
  ///     cancelled.
  /// - Returns: The value that `send` has returned, without any pending edits.
  /// - Throws: As ``LoadingManager/mutate(showing:send:)``.
  /// - Precondition: `edit` doesn't change the same publisher, neither directly nor through its manager; otherwise the
  ///   program stops.
  @discardableResult
  public func mutate(
    showing edit: @escaping @Sendable (Value) -> Value, send: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    try await driver.mutate(showing: edit, send: send) { [driver] in driver.answered($0) }
  }

  /// Shows an edit at once, sends it, and then puts the server's answer into the server's data (5.23).
  ///
  /// The rest is as with ``LoadingManager/mutate(showing:send:merging:)``.
  ///
  /// - Parameters:
  ///   - edit: Makes the edited value, as with the other function.
  ///   - send: Sends the edit, and returns the answer. Called once, outside every actor, in a task that isn't
  ///     cancelled.
  ///   - merging: Puts the answer into the server's data. Runs as `edit` does.
  /// - Returns: The answer.
  /// - Throws: As ``LoadingManager/mutate(showing:send:merging:)``.
  /// - Precondition: `edit` and `merging` don't change the same publisher, neither directly nor through its manager;
  ///   otherwise the program stops.
  @discardableResult
  public func mutate<Answer: Sendable>(
    showing edit: @escaping @Sendable (Value) -> Value, send: @escaping @Sendable () async throws -> Answer,
    merging: @escaping @Sendable (Value, Answer) -> Value
  ) async throws -> Answer {
    try await driver.mutate(showing: edit, send: send) { answer in .merged { merging($0, answer) } }
  }

  /// Shows an edit at once, and sends it to a server that doesn't answer with its data (5.20).
  ///
  /// The rest is as with ``LoadingManager/mutate(showing:sendOnly:)``.
  ///
  /// - Parameters:
  ///   - edit: Makes the edited value, as with the other functions.
  ///   - sendOnly: Sends the edit. Called once, outside every actor, in a task that isn't cancelled.
  /// - Throws: As ``LoadingManager/mutate(showing:sendOnly:)``.
  /// - Precondition: `edit` doesn't change the same publisher, neither directly nor through its manager; otherwise the
  ///   program stops.
  public func mutate(
    showing edit: @escaping @Sendable (Value) -> Value, sendOnly: @escaping @Sendable () async throws -> Void
  ) async throws {
    try await driver.mutate(showing: edit, send: sendOnly) { .accepted }
  }

  /// Puts what the server has pushed elsewhere into the server's data, under the pending edits, and into the cache
  /// (5.26).
  ///
  /// The next element replaces it. See ``LoadingManager/merge(_:)``.
  ///
  /// - Parameter change: Makes the server's new data. Runs as that of the other function.
  /// - Returns: Whether there was data; false also after the publisher's end.
  /// - Precondition: `change` doesn't change the same publisher, neither directly nor through its manager; otherwise
  ///   the program stops.
  @discardableResult
  public func merge(_ change: @escaping @Sendable (Value) -> Value) async -> Bool { await driver.merge(change) }
}
