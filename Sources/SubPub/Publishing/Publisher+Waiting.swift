extension Publisher {
  /// The first loaded value from now on; at once, if one is loaded.
  ///
  /// Throws the first error that is published, the current one included; `CancellationError` when the task is
  /// cancelled; `PublisherEnded` when the publisher is released first: waiting doesn't keep it.
  public consuming func value() async throws -> Value {
    let source = id
    let states = states()
    _ = consume self
    for await state in states {
      switch state {
      case .loaded(let value): return value
      case .error(let error, _): throw error
      case .unknown, .loading: continue
      }
    }
    try Task.checkCancellation()
    throw PublisherEnded(source: source)
  }

  /// Returns when every subscription of this moment has been served, or has skipped, everything up to the version of
  /// this moment (rule 3.07). A subscription that ends doesn't hold it up, even if its context stands still: a
  /// subscriber that dies is looked for 20 times a second. Where only the main actor can release it, and on executors
  /// of tests that run when they are told to, it is noticed when that happens. A cancelled task returns early.
  ///
  /// A sequence counts as served when its `next()` has returned the state; so don't call this from the loop over one.
  public func drain() async { await registry.drain() }

  /// No timer looks for the dead: for tests in which nothing happens but what a seed says.
  package func neverLookForDead() { registry.turn { $0.isLookingForDead = true } }
}
