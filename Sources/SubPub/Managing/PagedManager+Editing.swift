/// Editing the list.
///
/// As with ``LoadingManager``. An edit changes the elements of all pages so far, and not the cursor of the next page. A
/// page that is being loaded while an edit is confirmed may not include it, so the page is dropped, and the list counts
/// as stale (5.20): ask for the page again.
extension PagedManager {
  /// Shows an edit at once, sends it, and then puts the server's answer into the list (5.23).
  ///
  /// ```swift
  /// let list = PagedManager<News, Int>(firstPage: 0) { page in (elements: try await endpoint.news(), next: page + 1) }
  /// let created = try await list.mutate(
  ///   showing: { [draft] + $0 },
  ///   send: { try await endpoint.create(draft) },
  ///   merging: { news, created in [created] + news }
  /// )
  /// ```
  ///
  /// The rest is as with ``LoadingManager/mutate(showing:send:merging:)``.
  ///
  /// - Parameters:
  ///   - edit: Makes the edited elements. Runs on no particular thread while no lock is held, and again whenever the
  ///     elements change that it is applied to, so keep it short and free of side effects.
  ///   - send: Sends the edit, and returns the answer. Called once, outside every actor, in a task that isn't
  ///     cancelled.
  ///   - merging: Puts the answer into the server's elements. Runs as `edit` does.
  /// - Returns: The answer.
  /// - Throws: As ``LoadingManager/mutate(showing:send:merging:)``.
  /// - Complexity: As ``LoadingManager/mutate(showing:send:merging:)``.
  /// - Precondition: `edit` and `merging` don't change the same publisher, neither directly nor through its manager;
  ///   otherwise the program stops.
  @discardableResult
  public func mutate<Answer: Sendable>(
    showing edit: @escaping @Sendable ([Element]) -> [Element], send: @escaping @Sendable () async throws -> Answer,
    merging: @escaping @Sendable ([Element], Answer) -> [Element]
  ) async throws -> Answer {
    try await driver.mutate(showing: { $0.with(edit($0.elements)) }, send: send) { answer in
      .merged { $0.with(merging($0.elements, answer)) }
    }
  }

  /// Shows an edit at once, and sends it to a server that answers with nothing (5.20).
  ///
  /// The rest is as with ``LoadingManager/mutate(showing:sendOnly:)``.
  ///
  /// - Parameters:
  ///   - edit: Makes the edited elements. Runs on no particular thread while no lock is held, and again whenever the
  ///     elements change that it is applied to, so keep it short and free of side effects.
  ///   - sendOnly: Sends the edit. Called once, outside every actor, in a task that isn't cancelled.
  /// - Throws: As ``LoadingManager/mutate(showing:sendOnly:)``.
  /// - Precondition: `edit` doesn't change the same publisher, neither directly nor through its manager; otherwise the
  ///   program stops.
  public func mutate(
    showing edit: @escaping @Sendable ([Element]) -> [Element], sendOnly: @escaping @Sendable () async throws -> Void
  ) async throws {
    try await driver.mutate(showing: { $0.with(edit($0.elements)) }, send: sendOnly) { .accepted }
  }

  /// Puts what the server has pushed into the server's elements, under the pending edits, and into the cache (5.26).
  ///
  /// See ``LoadingManager/merge(_:)``.
  ///
  /// - Parameter change: Makes the server's new elements. Runs as that of the other function.
  /// - Returns: Whether there was a list; false also after the publisher's end.
  /// - Precondition: `change` doesn't change the same publisher, neither directly nor through its manager; otherwise
  ///   the program stops.
  @discardableResult
  public func merge(_ change: @escaping @Sendable ([Element]) -> [Element]) async -> Bool {
    await driver.merge { $0.with(change($0.elements)) }
  }

  /// Publishes a list and writes it to the cache (5.16).
  ///
  /// It counts as new and as one page, supersedes an active load, and drops pending edits (5.20). The next page is the
  /// one at its cursor.
  ///
  /// - Parameter value: The list.
  public func set(_ value: Paged<Element, Cursor>) {
    driver.set(Paged(elements: value.elements, next: value.next))
  }
}
