/// Editing the data.
extension LoadingManager {
  /// Shows an edit at once, sends it to the server, and shows the server's data when that has ended (5.20).
  ///
  /// What is published is the server's data with all pending edits folded over it in the order of the calls. Its origin
  /// is ``DataOrigin/edited``. If `send` fails, its own edit is taken back, and the others stay. If it succeeds, the value
  /// that it returns takes the place of the server's data, which is written to the cache, and the state is `loaded`
  /// unless a load is active.
  ///
  /// ```swift
  /// let news = try await manager.mutate(
  ///   showing: { $0 + [draft] },
  ///   send: { try await endpoint.add(draft) }  // Returns what the server has then.
  /// )
  /// ```
  ///
  /// A load that ends while an edit is pending changes the server's data, and no edit. A load that was active when an
  /// edit was confirmed may lack it: its value is dropped if there is data, and the data counts as stale. It counts as
  /// stale, too, if the server was sent several edits at once, or ``invalidate()`` was called meanwhile, because the
  /// answer may be older than it looks. ``logout()``, ``set(_:)``, and the publisher's transitions drop all edits: what
  /// was sent goes on, and its end publishes nothing. ``Publisher/republish()`` drops none.
  ///
  /// Without data, the edit isn't shown, and is sent all the same.
  ///
  /// If the calling task is cancelled, the call ends at once, but what was sent isn't undone: the edit stays until `send`
  /// has ended.
  ///
  /// - Parameters:
  ///   - edit: Makes the edited value. Runs on no particular thread while no lock is held, and again whenever the data
  ///     below it changes, so keep it short and free of side effects.
  ///   - send: Sends the edit, and returns the server's data. Called once, with the task-local values and the priority
  ///     of the caller, in a task that isn't cancelled. Several edits may be sent at the same time.
  /// - Returns: The value that `send` has returned, without any pending edits.
  /// - Throws: The error of `send`, after the edit was taken back. `CancellationError` if the calling task is cancelled;
  ///   if it was cancelled before the call, nothing is sent.
  /// - Complexity: Each transition calls every pending edit once.
  /// - Precondition: `edit` doesn't change the same publisher.
  @discardableResult
  public func mutate(
    showing edit: @escaping @Sendable (Value) -> Value, send: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    try await driver.mutate(showing: edit, send: send) { .answered($0) }
  }

  /// Shows an edit at once, and sends it to a server that doesn't answer with its data (5.20).
  ///
  /// If `send` succeeds, the edit becomes part of the server's data, which keeps its age and is written to the cache.
  /// Everything else is as with the function whose `send` returns the server's data.
  ///
  /// - Parameters:
  ///   - edit: Makes the edited value.
  ///   - send: Sends the edit.
  /// - Throws: The error of `send`, after the edit was taken back. `CancellationError` if the calling task is cancelled.
  /// - Precondition: `edit` doesn't change the same publisher.
  @_disfavoredOverload
  public func mutate(
    showing edit: @escaping @Sendable (Value) -> Value, send: @escaping @Sendable () async throws -> Void
  ) async throws {
    try await driver.mutate(showing: edit, send: send) { .accepted }
  }
}
