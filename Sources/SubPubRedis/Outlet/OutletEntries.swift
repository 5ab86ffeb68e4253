#if Redis
  import SubPub

  /// The entries that the server hasn't confirmed, in the order of their ids, and the last one that it has.
  struct OutletEntries {
    /// Why the server hasn't taken an entry.
    enum Refusal: Equatable {
      /// There is no stream.
      case noStream
      case refused(String)
    }

    /// How many bytes the last confirmed one has; what looks at it every second needn't copy it.
    private(set) var lastByteCount: Int?
    private var entries: [OutletEntry] = []
    /// The entries before this index are confirmed or skipped; they are removed when they are half of all.
    private var first = 0
    /// How many entries may wait for the server's replies.
    private let maxCount: Int
    private var window: SendWindow
    /// How many entries are sent at a time, and how many bytes.
    private let chunk = (count: 64, bytes: 256 << 10)

    /// The first index without a reply; the entries from `first` up to it were refused.
    private var unanswered = 0
    /// The first index that hasn't been sent.
    private var unsent = 0
    private var byteCount = 0
    private var unsentByteCount = 0

    /// Why the first entry was refused; nil if it wasn't.
    private(set) var refusal: Refusal?
    /// The last confirmed entry, written again if the server loses it.
    private(set) var lastConfirmed: OutletEntry? { didSet { lastByteCount = lastConfirmed?.arguments.byteCount } }
    private(set) var confirmedCount = 0
    /// How many entries can't be written any more, because the stream has a greater id.
    private(set) var skippedCount = 0

    /// How many entries may wait for their replies.
    static func mostEntries(of maxLength: Int) -> Int { min(512, max(1, maxLength / 2)) }

    init(maxCount: Int, patience: Duration) { (self.maxCount, window) = (maxCount, SendWindow(patience: patience)) }

    var firstEntry: OutletEntry? { isEmpty ? nil : entries[first] }
    /// What a connection may have ended with: the first entry without a reply, and the one that was refused before it,
    /// because a server refuses what it can't read, and then ends the connection.
    var suspects: [OutletEntry] { entries[max(first, unanswered - 1)..<min(unanswered + 1, unsent)].reversed() }
    var count: Int { entries.count - first }
    var isEmpty: Bool { first == entries.count }
    /// Whether there is something that hasn't been sent, and may be.
    var maySend: Bool { unsent < entries.count && (room > 0 || !areUnderWay) }
    /// How many more bytes may be on their way.
    private var room: Int { window.byteCount - (byteCount - unsentByteCount) }
    /// Whether replies have to arrive.
    var areUnderWay: Bool { unanswered < unsent }
    /// Whether replies have to be awaited before more is sent.
    var isFull: Bool { count >= maxCount || byteCount >= window.byteCount }
    /// Whether there is room for many more.
    var isHalfEmpty: Bool { count <= maxCount / 2 && byteCount <= window.byteCount / 2 }
    /// Whether there is enough to be sent at once.
    var isChunk: Bool { isFull || entries.count - unsent >= chunk.count || unsentByteCount >= chunk.bytes }

    mutating func append(_ entry: OutletEntry) {
      entries.append(entry)
      byteCount += entry.arguments.byteCount
      unsentByteCount += entry.arguments.byteCount
    }

    /// Returns the commands that haven't been sent, as far as there is room, and how many; the caller sends them.
    mutating func takeUnsent(_ beginning: RedisCommand, at now: Moment) -> (bytes: [UInt8], count: Int) {
      let (start, unsentBefore) = (unsent, unsentByteCount)
      while maySend {
        unsentByteCount -= entries[unsent].arguments.byteCount
        unsent += 1
      }
      guard unsent > start else { return ([], 0) }
      window.noteSending(upTo: entries[unsent - 1].id, byteCount - unsentByteCount, at: now)
      let count = unsent - start
      var bytes: [UInt8] = []
      bytes.reserveCapacity(unsentBefore - unsentByteCount + count * (beginning.byteCount + 8))
      for index in start..<unsent { beginning.encode(followedBy: entries[index].arguments, to: &bytes) }
      return (bytes, count)
    }

    /// Lets everything that isn't confirmed be sent again, after all replies, or over a new connection.
    mutating func sendAllAgain() {
      window.forget()
      (unanswered, unsent, unsentByteCount, refusal) = (first, first, byteCount, nil)
    }

    /// Notes the reply to the first entry without one.
    mutating func note(_ reply: RedisReply, at now: Moment) {
      window.noteReply(to: entries[unanswered].id, at: now)
      if let message = reply.refusal {
        refuse(.refused(message))
      } else if reply.isNil {
        refuse(.noStream)
      } else {
        confirm()
      }
    }

    private mutating func refuse(_ reason: Refusal) {
      unanswered += 1
      refusal = refusal ?? reason
    }

    /// Notes that the server has taken the first entry without a reply.
    ///
    /// Those before it were refused, and can't be written any more.
    private mutating func confirm() {
      skippedCount += unanswered - first
      confirmedCount += 1
      lastConfirmed = entries[unanswered]
      removeFirst(unanswered + 1 - first)
      refusal = nil
    }

    /// Compares with the stream, whose last entry is known: of the entries up to that one, those that it holds are
    /// confirmed, and the others can't be written any more.
    mutating func settle(upTo last: EntryID, holding held: Set<EntryID>) {
      sendAllAgain()
      while let entry = firstEntry, entry.id <= last {
        if held.contains(entry.id) {
          confirm()
        } else {
          skippedCount += 1
          removeFirst(1)
        }
      }
      sendAllAgain()
    }

    /// Notes that the first entry was written by itself.
    mutating func confirmFirst() {
      sendAllAgain()
      confirm()
      sendAllAgain()
    }

    /// The first entry or the last confirmed one, if it has this id: what may have to be restored.
    func entry(_ id: EntryID) -> OutletEntry? { [lastConfirmed, firstEntry].compactMap(\.self).first { $0.id == id } }

    /// Puts another entry in the place of the one that has its id; replies don't count any more.
    mutating func replace(with entry: OutletEntry) {
      defer { sendAllAgain() }
      if lastConfirmed?.id == entry.id { lastConfirmed = entry }
      guard let index = entries[first...].firstIndex(where: { $0.id == entry.id }) else { return }
      byteCount += entry.arguments.byteCount - entries[index].arguments.byteCount
      entries[index] = entry
    }

    /// Drops the oldest entries; nothing may be under way.
    mutating func keepLast(_ count: Int) {
      let excess = self.count - count
      guard excess > 0 else { return }
      skippedCount += excess
      removeFirst(excess)
      sendAllAgain()
    }

    private mutating func removeFirst(_ count: Int) {
      for index in first..<first + count { byteCount -= entries[index].arguments.byteCount }
      first += count
      (unanswered, unsent) = (max(first, unanswered), max(first, unsent))
      guard first >= self.count else { return }
      entries.removeFirst(first)
      (first, unanswered, unsent) = (0, unanswered - first, unsent - first)
    }
  }
#endif
