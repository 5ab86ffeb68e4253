/// The turns that a lane's shell takes with its registry. Declared here, so that a lane knows nothing of registries.
protocol LaneTurns: AnyObject, Sendable {
  var source: PublisherID { get }

  /// The lane was woken: hands out what it had put aside, or what is pending. False: nothing to do.
  func resume(_ lane: LaneRunner, _ batch: inout Batch) -> Bool
  /// The batch is served: hands out the next. False: nothing is left.
  func next(_ lane: LaneRunner, _ batch: inout Batch) -> Bool
  /// Between two deliveries: takes care of cancelled and dead entries and of who waits for an end.
  func settle(_ lane: LaneRunner, _ batch: inout Batch)
  /// The drain has used up its budget: puts the rest aside, to be woken again.
  func handBack(_ lane: LaneRunner, _ batch: inout Batch)
  /// Whether this thread is inside that.
  func isHandingBackHere(_ lane: LaneRunner) -> Bool
  /// The lane's context is gone, and its subscriptions with it.
  func end(_ lane: LaneRunner)

  func cancel(_ subscription: Subscription, in lane: LaneRunner) -> CancelOutcome
  func waitForEnd(of subscription: Subscription, in lane: LaneRunner) async
}
