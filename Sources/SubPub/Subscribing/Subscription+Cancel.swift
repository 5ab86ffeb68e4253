extension Subscription {
  /// Ends the subscription, and says what it found (rules 3.01, 3.02).
  ///
  /// Callable from any thread, from inside any callback and from any `deinit`; never waits for a subscriber. No
  /// delivery begins after it has returned. What was pending is dropped and counted as skipped. The subscriber's
  /// closure is released before a `quiescent` cancel returns, otherwise when the delivery under way and its round
  /// have ended (rule 3.05). On the subscription's own serial context, and inside its callback, it is never
  /// `inFlight` (rule 3.03). Constant time, amortised.
  @discardableResult
  public func cancel() -> CancelOutcome { host.cancel(self) }

  /// Cancels, and returns when no delivery of the subscription is under way, also when it was cancelled before
  /// (rule 3.04).
  ///
  /// Ignores the cancellation of its own task. Awaited inside the very delivery it returns at once.
  public func cancelAndWait() async {
    cancel()
    await host.waitForEnd(of: self)
  }
}
