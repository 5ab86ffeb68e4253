extension Subscription {
  /// Why the subscription has ended; nil as long as states may be delivered.
  ///
  /// A delivery may still be under way: see ``ended()``.
  public var end: SubscriptionEnd? {
    // So that what is returned once is final.
    if gate.isOpen { lane.registry.retire([self]) }
    // In a turn, so that the counts of an iterator are final, too.
    return lane.iteration == nil ? gate.end : lane.registry.turn { _ in gate.end }
  }

  /// Waits until the subscription has ended and none of its deliveries is under way (3.10).
  ///
  /// A delivery to an iterator begins and ends when `next()` takes the state. So if this waits for the subscription of
  /// a sequence, the loop over it may still be busy with its last element.
  ///
  /// While somebody waits, the publisher looks for dead subscribers 20 times a second.
  ///
  /// - Returns: Why it has ended; nil if the task is cancelled first.
  public func ended() async -> SubscriptionEnd? { await lane.registry.waitForEnd(of: self) }
}
