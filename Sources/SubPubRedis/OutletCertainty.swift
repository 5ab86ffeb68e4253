#if Redis
  import SubPub

  /// Until when an outlet is sure that no other one has taken its key over and been forgotten by the server.
  ///
  /// A server that loses data, or comes back with older data, forgets the outlet that has taken over last. Whoever has
  /// seen its own number on the server a moment ago is that outlet. Another one may have been superseded in the
  /// meantime, so it waits whether somebody else restores the number.
  ///
  /// Times are real ones, on a clock that goes on while the machine is suspended.
  final class OutletCertainty: Sendable {
    /// How long an outlet is sure after it has seen its number.
    private let patience: Duration
    /// How long an outlet that takes a key over waits until the one before isn't sure any more.
    let takeOverDelay: Duration
    /// How long an outlet that isn't sure waits for another one that is.
    let wait: Duration
    private let lastVerified = Locked<ContinuousClock.Instant?>(nil)

    init(checkInterval: Duration, _ endpoint: RedisEndpoint) {
      patience = checkInterval * 3
      takeOverDelay = patience + .milliseconds(250)
      wait = max(takeOverDelay, endpoint.replyTimeout * 2)
    }

    /// Notes that the server showed the outlet's number at this time or later.
    func verify(at time: ContinuousClock.Instant) {
      lastVerified.withLock { last in last = last.map { max($0, time) } ?? time }
    }

    func isSure(at time: ContinuousClock.Instant) -> Bool {
      lastVerified.withLock { $0 }.map { time <= $0 + patience } ?? false
    }

    /// Whether the outlet has to look at its number before it writes.
    func isDue(at time: ContinuousClock.Instant) -> Bool {
      lastVerified.withLock { $0 }.map { $0.duration(to: time) > patience * 0.75 } ?? true
    }
  }
#endif
