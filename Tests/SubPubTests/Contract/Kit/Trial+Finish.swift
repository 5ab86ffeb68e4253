import SubPubTesting
import Testing

extension PublishingTests.Trial {
  /// Runs the task to its end, woken by what it waits for; fails after `Event.limit`.
  func finish(sourceLocation: SourceLocation = #_sourceLocation) async throws -> Result {
    while !run().isOver {
      let isLate = await withTaskGroup { group in
        group.addTask { [executor] in
          await executor.waitForPending(1)
          return false
        }
        group.addTask { (try? await Task.sleep(for: Event.limit)) != nil }
        defer { group.cancelAll() }
        return await group.next() ?? true
      }
      try #require(!isLate, "nothing has woken the task", sourceLocation: sourceLocation)
    }
    if let error { throw error }
    return try #require(value, sourceLocation: sourceLocation)
  }
}
