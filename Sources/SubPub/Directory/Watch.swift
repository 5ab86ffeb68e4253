/// One subscriber at all publishers of a directory: a part at each, and where the subscription lives that stands for
/// all of them, the *handle*.
///
/// To join a publisher is one step with a look at whether the handle was cancelled: the registry's turn is taken inside
/// this lock, and never the other way round. So after a cancel nobody joins, and a cancel finds everybody who did.
final class Watch: Sendable {
  let delivery: Delivery
  let source: PublisherID
  private let enrol: @Sendable (any ListedPublisher.Type) -> Enrolment
  private let ledger = Locked(WatchLedger())

  private init(
    _ delivery: Delivery, of source: PublisherID, enrol: @escaping @Sendable (any ListedPublisher.Type) -> Enrolment
  ) {
    self.delivery = delivery
    self.source = source
    self.enrol = enrol
  }

  /// The handle of a new one. `enrol` is called only while the subscriber lives.
  static func handle(
    of subscriber: any AnyObject & Sendable, as face: SubscriberFace, on delivery: Delivery, buffering: BufferingPolicy,
    source: PublisherID, enrol: @escaping @Sendable (any ListedPublisher.Type) -> Enrolment
  ) -> Subscription {
    // Nothing is ever put into its buffer: its parts have one each.
    Subscription(
      Enrolment(subscriber, as: face, on: delivery, buffering: buffering) { _, _ in },
      at: Watch(delivery, of: source, enrol: enrol), after: 0)
  }

  static func of(_ handle: Subscription) -> Watch? { handle.host as? Watch }

  /// Joins that publisher: once, also when it is asked to several times, and not after a cancel.
  func join(_ listing: Listing, for handle: Subscription) {
    // What a turn looks at is held meanwhile, and let go of outside.
    let context = delivery.context.actor
    defer { withExtendedLifetime(context) {} }
    guard !delivery.context.isGone(context) else { return }
    handle.whileSubscriberLives { joinNow(listing, for: handle) }
  }

  /// Not inlined, so that nothing holds the subscriber when this has returned.
  @inline(never)
  private func joinNow(_ listing: Listing, for handle: Subscription) {
    guard let joined = join(listing, enrol(listing.type), for: handle) else { return }
    listing.registry.follow(joined, contextIsGone: false)
    if ledger.withLock({ $0.isSweepDue }) { sweep(handle) }
  }

  /// What the turn left to release is gone when this returns.
  private func join(_ listing: Listing, _ enrolment: Enrolment, for handle: Subscription) -> RegistryState.Joined? {
    var after = AfterTurn()
    let joined = ledger.withLock { ledger -> RegistryState.Joined? in
      guard handle.gate.closedAt == nil, ledger.parts[listing.id] == nil,
        let joined = listing.registry.joinUnlessEnded(enrolment, &after)
      else { return nil }
      ledger.parts[listing.id] = WatchLedger.Part(listing: listing, subscription: joined.subscription)
      return joined
    }
    after.act()
    return joined
  }

  /// Lets go of the parts that have ended for good, and keeps their counts. One that was ended at a publisher that
  /// still lives has to stay: it tells that nobody is to join there again.
  private func sweep(_ handle: Subscription) {
    let isOver = handle.gate.closedAt != nil
    let ended = parts.filter { $0.subscription.hasEnded && (isOver || $0.listing.registry.hasEnded) }
    let counts = ended.map { ($0, $0.subscription.statistics) }
    ledger.withLock { $0.remove(counts) }
  }

  private var parts: [WatchLedger.Part] { ledger.withLock { Array($0.parts.values) } }
}

extension Watch: SubscriptionHost {
  var isGone: Bool { delivery.context.isGone(delivery.context.actor) }

  var isDeliveringHere: Bool {
    parts.contains { $0.subscription.gate.isUnderWayNow && $0.subscription.host.isDeliveringHere }
  }

  /// All parts, by everyone who calls: whoever comes second must not return before the last is closed.
  func cancel(_ handle: Subscription) -> CancelOutcome {
    let isAlive = handle.isAlive
    let (isFirst, parts) = ledger.withLock { (handle.gate.close(at: 1) != nil, Array($0.parts.values)) }
    let found = parts.map { $0.subscription.cancelAsPart() }
      .reduce(CancelOutcome.alreadyCancelled) { $0.combined(with: $1) }
    sweep(handle)
    guard isFirst else { return .alreadyCancelled }
    // It stood for the publishers to come, even if it had no part left.
    return found == .alreadyCancelled && isAlive ? .quiescent : found
  }

  func waitForEnd(of handle: Subscription) async {
    for part in parts { await part.subscription.cancelAndWait() }
    sweep(handle)
  }

  func statistics(of handle: Subscription) -> Subscription.Statistics {
    let (parts, ended) = ledger.withLock { (Array($0.parts.values), $0.ended) }
    return parts.reduce(ended) { $0.adding($1.subscription.statistics) }
  }
}

extension Subscription {
  /// Nothing is under way, and nothing will be.
  fileprivate var hasEnded: Bool { gate.closedAt != nil && !gate.isUnderWayNow }

  /// Cancels one of several. What was cancelled before may still have a delivery under way: the others' silence must
  /// not hide it.
  fileprivate func cancelAsPart() -> CancelOutcome {
    let found = cancel()
    guard found == .alreadyCancelled, gate.isUnderWayNow else { return found }
    return host.isDeliveringHere ? .reentrant : .inFlight
  }
}
