#if Redis
  import SubPub

  /// How many bytes of entries an outlet has on their way.
  ///
  /// What is sent after them, over the same connection, waits behind them: the renewals of its lease, its checks, and
  /// what other outlets send. So on a slow link they are no more than what is taken and confirmed in a short time.
  struct SendWindow {
    private static let (least, most) = (64 << 10, 8 << 20)

    private(set) var byteCount = 256 << 10
    /// How long the replies may take.
    private let patience: Duration
    /// The last of the entries whose replies are timed, how many bytes had to be taken until then, and since when.
    private var timed: (last: EntryID, byteCount: Int, since: Moment)?

    init(patience: Duration) { self.patience = patience }

    /// Notes that entries are sent; so many bytes are on their way then.
    ///
    /// Few bytes tell little, so they are timed only until many are sent.
    mutating func noteSending(upTo last: EntryID, _ byteCount: Int, at now: Moment) {
      let half = self.byteCount / 2
      if timed.map({ $0.byteCount < half && byteCount >= half }) ?? true { timed = (last, byteCount, now) }
    }

    /// Notes the reply to an entry.
    mutating func noteReply(to id: EntryID, at now: Moment) {
      guard let (last, sent, since) = timed, id >= last else { return }
      timed = nil
      let time = since.duration(to: now)
      if time > patience {
        byteCount = min(byteCount, max(Self.least, Int(Double(sent) * (patience / time))))
      } else if sent >= byteCount / 2, time <= patience / 2 {
        byteCount = min(Self.most, byteCount * 2)
      }
    }

    /// Notes that no reply counts any more.
    mutating func forget() { timed = nil }
  }
#endif
