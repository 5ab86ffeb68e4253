#if Redis
  import SubPub

  /// Until when an outlet is sure that no other one has taken its key over and been forgotten by the server.
  ///
  /// A server that loses data, or comes back with older data, forgets the outlet that has taken over last. An outlet
  /// that has seen its own number on the server a moment ago is that outlet. Another one may have been superseded in
  /// the meantime, so it waits to see whether another outlet restores a greater number.
  ///
  /// Times are real ones, on a clock that goes on while the machine is suspended.
  struct OutletCertainty {
    /// How long an outlet is sure after it has seen its number; the same for all outlets, whatever their time limits.
    private static let patience: Duration = .seconds(3)
    /// How long an outlet that takes a key over waits until the one before isn't sure any more.
    static let takeOverDelay = patience + .milliseconds(250)

    /// After what time an outlet that writes has restored its number, whatever its time limits.
    static let restoringTime: Duration = .milliseconds(1_250)

    private(set) var lastVerified: Moment?
    /// When it has seen its number last, whatever that means.
    private var lastSeen: Moment?
    /// What tells the last start of the server on which the outlet was known not to be superseded.
    private var knownStart: String?
    /// What tells the start of the server that the outlet is connected to, if the server says so.
    private var start: String?
    /// Whether nothing is known yet of the server behind this connection.
    private var isConnectionNew = false
    /// Whether there was a reason to wait, which may not be seen any more, and the outlet hasn't waited yet.
    private(set) var mayBeSuperseded = false

    mutating func noteConnection(start: String?) { (self.start, isConnectionNew) = (start, true) }

    /// Notes that the server showed the outlet's number at this time or later.
    mutating func verify(at time: Moment) { lastVerified = lastVerified.map { max($0, time) } ?? time }

    /// Notes that the outlet has the key, as the server has shown at this time or later.
    mutating func settle(at time: Moment) {
      verify(at: time)
      (knownStart, isConnectionNew, mayBeSuperseded) = (start, false, false)
    }

    /// Notes that the outlet waits to see whether it was superseded.
    mutating func beginDoubt() { (isConnectionNew, mayBeSuperseded) = (false, true) }

    /// Notes where the outlet has got its number.
    mutating func noteTakeOver(at time: Moment) { (knownStart, lastSeen) = (start, time) }

    /// Notes that the server showed the outlet's number while it waits; returns whether it has looked all the while.
    ///
    /// Who was paused for longer may have missed that another outlet has taken the key over and was forgotten.
    @discardableResult
    mutating func noteSeen(at time: Moment) -> Bool {
      defer { lastSeen = time }
      return lastSeen.map { time <= $0 + Self.patience } ?? false
    }

    /// Whether the server was, or may have been, started again since the outlet was known to have the key.
    var hasRestarted: Bool { isConnectionNew && (start == nil || start != knownStart) }

    func isSure(at time: Moment) -> Bool { lastVerified.map { time <= $0 + Self.patience } ?? false }

    /// Whether the outlet may write without a look at its number: what it sends takes a while to arrive.
    func mayWrite(at time: Moment) -> Bool { lastVerified.map { time <= $0 + Self.patience * 0.75 } ?? false }
  }
#endif
