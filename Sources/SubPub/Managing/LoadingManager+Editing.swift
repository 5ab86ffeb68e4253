/// Editing the data.
extension LoadingManager {
  /// Shows an edit at once, sends it to the server, and then shows the server's answer (5.20).
  ///
  /// The manager publishes the server's data with all pending edits applied to it, in the order of the calls, and with
  /// the origin ``DataOrigin/edited``. If `send` fails, only its own edit is rolled back. If it succeeds, the returned
  /// value becomes the server's data and is written to the cache. The state becomes `loaded`, unless a load is active.
  ///
  /// ```swift
  /// let news = try await manager.mutate(
  ///   showing: { $0 + [draft] },
  ///   send: { try await endpoint.add(draft) }  // Returns what the server has then.
  /// )
  /// ```
  ///
  /// A load that succeeds while an edit is pending replaces the server's data; the edit stays. A load that was active
  /// when an edit was confirmed may not include it, so its value is dropped if there is data, and the data counts as
  /// stale. Data also counts as stale if between an edit and its confirmation a load succeeded, another edit was
  /// confirmed, or ``invalidate()`` was called: there is no telling which is newer, or what it includes.
  ///
  /// ``logout()``, ``set(_:)``, and transitions by hand, except ``Publisher/republish()``, drop all edits. What was
  /// sent isn't stopped, but its result publishes nothing. With ``SendOrder/oneAtATime``, what wasn't sent yet never is
  /// (5.24).
  ///
  /// Without data, the edit is sent but not shown; it appears if data arrives before `send` has ended. While an edit is
  /// pending, ``refresh()`` and ``value(maxAge:)`` return data with the pending edits.
  ///
  /// If the calling task is cancelled, the call ends at once, but what was sent isn't undone: the edit stays until
  /// `send` has ended. If the manager is released, an edit that was sent still ends as usual while the publisher lives.
  ///
  /// - Parameters:
  ///   - edit: Makes the edited value. Runs on no particular thread while no lock is held, and again whenever the data
  ///     that it is applied to changes, so keep it short and free of side effects.
  ///   - send: Sends the edit, and returns the server's data. Called once, outside every actor, with the task-local
  ///     values and the priority of the caller, in a task that isn't cancelled. `timeout` and `retry` don't apply to
  ///     it. Several edits may be sent at the same time, unless the option ``LoadingOptions/sends`` is
  ///     ``SendOrder/oneAtATime``; then don't await another edit of this manager in it, which would never end.
  /// - Returns: The value that `send` has returned, without any pending edits.
  /// - Throws: The error of `send`, after the edit was rolled back. `CancellationError` if the calling task is
  ///   cancelled; if it was cancelled before the call, nothing is sent. ``EditDropped`` if the edit was dropped while
  ///   it waited to be sent. ``PublisherEnded`` if the publisher ends before the edit is sent.
  /// - Complexity: Each change of the server's data or of the edits calls every pending edit once, and again for each
  ///   transition by hand that comes in between (5.27).
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
  /// For servers that answer with a part of the data, such as the element that was created. If `send` succeeds,
  /// `merging` makes the server's new data of its present data, which lacks the edit, and the answer. The edits that
  /// are still pending are applied on top. If `send` fails, nothing of the edit is left.
  ///
  /// ```swift
  /// let created = try await manager.mutate(
  ///   showing: { $0 + [draft] },
  ///   send: { try await endpoint.create(draft) },  // Returns the new element only.
  ///   merging: { news, created in news + [created] }
  /// )
  /// ```
  ///
  /// The server's data keeps its age and its origin, because only a part of it is new, and is written to the cache with
  /// that age (5.06). The phase doesn't change: after an error, the state remains that error.
  ///
  /// `merging` isn't called if there is no data when the answer arrives, or if the edit was dropped, for example by a
  /// logout. Then nothing is published; the cache is cleared, and any data at hand counts as stale, because neither
  /// has the answer. The call returns the answer all the same.
  ///
  /// If a load ends while the edit is being sent, its value may already have what is merged, and the data counts as
  /// stale. So if you can, replace what is there: `{ news, created in news.filter { $0 != created } + [created] }`.
  ///
  /// The rest is as with ``mutate(showing:send:)``.
  ///
  /// - Parameters:
  ///   - edit: Makes the edited value, as with the other function.
  ///   - send: Sends the edit, and returns the answer. Called once, outside every actor, in a task that isn't
  ///     cancelled.
  ///   - merging: Puts the answer into the server's data. Runs on no particular thread while no lock is held, and again
  ///     if the data changes in between, so keep it short and free of side effects.
  /// - Returns: The answer.
  /// - Throws: The error of `send`, after the edit was rolled back. `CancellationError` if the calling task is
  ///   cancelled; if it was cancelled before the call, nothing is sent. ``EditDropped`` if the edit was dropped while
  ///   it waited to be sent. ``PublisherEnded`` if the publisher ends before the edit is sent.
  /// - Complexity: As with the other function, and one call of `merging`.
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
  /// If `sendOnly` succeeds, the edit becomes part of the server's data. That data keeps its age and its origin, and is
  /// written to the cache with that age (5.06). The phase doesn't change: after an error, the state remains that error.
  /// Without data there is nothing to apply the edit to, so nothing is published, and the cache is cleared, because its
  /// value lacks the edit.
  ///
  /// ```swift
  /// try await manager.mutate(
  ///   showing: { news in news.filter { $0 != draft } },
  ///   sendOnly: { try await endpoint.delete(draft) }  // Returns nothing.
  /// )
  /// ```
  ///
  /// If a load ends while the edit is being sent, its value may already include the edit. The edit is then applied a
  /// second time, and the data counts as stale. So if you can, write an edit that changes nothing the second time.
  ///
  /// The rest is as with ``mutate(showing:send:)``. Write the label `sendOnly:` rather than a trailing closure:
  /// the compiler finds a trailing closure of several statements ambiguous.
  ///
  /// - Parameters:
  ///   - edit: Makes the edited value, as with the other function.
  ///   - sendOnly: Sends the edit. Called once, outside every actor, in a task that isn't cancelled.
  /// - Throws: The error of `sendOnly`, after the edit was rolled back. `CancellationError` if the calling task is
  ///   cancelled; if it was cancelled before the call, nothing is sent. ``EditDropped`` if the edit was dropped while
  ///   it waited to be sent. ``PublisherEnded`` if the publisher ends before the edit is sent.
  /// - Precondition: `edit` doesn't change the same publisher, neither directly nor through its manager; otherwise the
  ///   program stops.
  public func mutate(
    showing edit: @escaping @Sendable (Value) -> Value, sendOnly: @escaping @Sendable () async throws -> Void
  ) async throws {
    try await driver.mutate(showing: edit, send: sendOnly) { .accepted }
  }

  /// Puts what the server has pushed into the server's data, under the pending edits, and into the cache (5.26).
  ///
  /// For servers that tell of changes between two loads, such as the messages of a chat. Nothing is superseded or
  /// dropped: an active load goes on, and edits stay on top.
  ///
  /// ```swift
  /// // `draft` stands for what the server has pushed.
  /// await manager.merge { news in news.filter { $0 != draft } + [draft] }
  /// ```
  ///
  /// The data keeps its age, its origin, and its phase, as with ``mutate(showing:send:merging:)``. The result of a load
  /// that had begun before may lack what was pushed, so it doesn't count as fresh, and neither does the cached value if
  /// there is no data to put it into.
  ///
  /// - Parameter change: Makes the server's new data. Runs on no particular thread while no lock is held, once, and
  ///   again if a transition by hand comes in between (5.27), so keep it short and free of side effects.
  /// - Returns: Whether there was data; false also after the publisher's end.
  /// - Precondition: `change` doesn't change the same publisher, neither directly nor through its manager; otherwise
  ///   the program stops.
  @discardableResult
  public func merge(_ change: @escaping @Sendable (Value) -> Value) async -> Bool { await driver.merge(change) }
}

/// The error of an edit that was dropped while it waited to be sent (5.24).
///
/// A logout or another transition by hand drops all edits. Nothing was sent, so the edit may be made again.
public struct EditDropped: Error, Hashable, Sendable, CustomStringConvertible {
  /// Creates the error, for tests of code that handles it.
  public init() {}

  /// What happened to the edit.
  public var description: String { "the edit was dropped before it was sent" }
}
