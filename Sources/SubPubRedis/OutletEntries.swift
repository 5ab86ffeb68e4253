#if Redis
  import Foundation
  import SubPub

  /// An entry on its way to the stream.
  struct OutletEntry {
    let id: EntryID
    /// The command that adds it.
    let command: RedisCommand
  }

  /// Turns publications into entries.
  struct EntryEncoder<Value: Codable & Sendable> {
    private let settings: OutletSettings<Value>
    /// How many bytes most entries need, so that their memory needn't grow.
    private static var typicalByteCount: Int { 256 }

    /// What all commands begin with.
    private let beginning: RedisCommand
    /// When the data of the last state was new, in milliseconds since 1970.
    private var since: Int64?
    /// How many states couldn't be encoded.
    private(set) var failures = 0

    init(_ settings: OutletSettings<Value>) {
      self.settings = settings
      beginning = RedisCommand("XADD", settings.key, "MAXLEN", "~", "\(settings.maxLength)")
    }

    /// Encodes a state; one that can't be encoded becomes an error that says so.
    mutating func entry(for publication: Publication<Value>, epoch: UInt64) -> OutletEntry {
      let id = EntryID(epoch: epoch, version: publication.version)
      updateSince(publication)
      var command = begin(id)
      do { try command.append(publication.state, origin: publication.origin, since: since, by: settings.coder) } catch {
        failures += 1
        command = begin(id)
        command.append(stateOf: settings.error(error))
      }
      return OutletEntry(id: id, command: command)
    }

    private func begin(_ id: EntryID) -> RedisCommand {
      var command = beginning
      command.reserve(Self.typicalByteCount)
      command.append("\(id)")
      return command
    }

    /// Data that is only carried along keeps its time; data whose age the publisher doesn't measure is new when it
    /// arrives here.
    private mutating func updateSince(_ publication: Publication<Value>) {
      let now = Int64(Date().timeIntervalSince1970 * 1_000)
      if publication.state.value == nil {
        since = nil
      } else if let age = settings.publisher.staleAfter.flatMap({ _ in settings.publisher.age(of: publication) }) {
        since = now - Int64(min(age / .milliseconds(1), 1e15))
      } else if publication.phase == .loaded {
        since = now
      }
    }
  }

  /// The entries that the server hasn't confirmed, in the order of their ids, and the last one that it has.
  struct OutletEntries {
    /// How many entries may wait for the server's replies, and how many bytes.
    private let window: (count: Int, bytes: Int)
    /// How many entries are sent at a time, and how many bytes.
    private let chunk = (count: 64, bytes: 256 << 10)

    private var entries: [OutletEntry] = []
    /// The entries before this index are confirmed; they are removed when they are half of all.
    private var first = 0
    /// The first index that hasn't been sent.
    private var unsent = 0
    private var byteCount = 0
    private var unsentByteCount = 0

    /// The last confirmed entry, written again if the server loses it.
    private(set) var lastConfirmed: OutletEntry?
    private(set) var confirmedCount = 0

    init(maxCount: Int) { window = (maxCount, 8 << 20) }

    var firstID: EntryID? { isEmpty ? nil : entries[first].id }
    /// Whether the first entry was confirmed before.
    var isFirstRepeated: Bool { firstID != nil && firstID == lastConfirmed?.id }
    var count: Int { entries.count - first }
    var isEmpty: Bool { first == entries.count }
    /// Whether replies have to be awaited before more is sent.
    var isFull: Bool { count >= window.count || byteCount >= window.bytes }
    /// Whether there is enough to be sent at once.
    var isChunk: Bool { isFull || entries.count - unsent >= chunk.count || unsentByteCount >= chunk.bytes }

    mutating func append(_ entry: OutletEntry) {
      entries.append(entry)
      byteCount += entry.command.byteCount
      unsentByteCount += entry.command.byteCount
    }

    /// Returns the commands that haven't been sent; the caller sends them.
    mutating func takeUnsent() -> [UInt8] {
      var bytes: [UInt8] = []
      bytes.reserveCapacity(unsentByteCount)
      for entry in entries[unsent...] { entry.command.encode(to: &bytes) }
      (unsent, unsentByteCount) = (entries.count, 0)
      return bytes
    }

    /// Lets everything that isn't confirmed be sent over a new connection.
    mutating func sendAllAgain() { (unsent, unsentByteCount) = (first, byteCount) }

    mutating func confirmFirst() {
      lastConfirmed = entries[first]
      byteCount -= entries[first].command.byteCount
      first += 1
      confirmedCount += 1
      guard first >= count else { return }
      entries.removeFirst(first)
      (first, unsent) = (0, unsent - first)
    }

    /// Compares with the last entry of the stream: what it includes is confirmed, and what it lacks is written again.
    mutating func compare(with top: EntryID?) {
      while !isEmpty, let top, entries[first].id <= top {
        unsent = max(unsent, first + 1)
        confirmFirst()
      }
      if isEmpty, let lastConfirmed, top.map({ $0 < lastConfirmed.id }) ?? true { repeatLast() }
    }

    /// Lets the last confirmed entry be written again.
    mutating func repeatLast() { if let lastConfirmed { append(lastConfirmed) } }
  }

  extension RedisConnection {
    /// Returns the id of the last entry of a stream; nil if there is none.
    func lastID(of key: String) throws(RedisError.Reason) -> EntryID? {
      StreamEntry.entries(try reply(to: .lastEntry(of: Array(key.utf8))).get()).first?.id
    }

    /// Returns a new epoch, which is greater than all before, even if the server has lost them.
    ///
    /// It is the server's time in milliseconds, unless the counter or the stream is ahead of that.
    func takeOver(_ key: String) throws(RedisError.Reason) -> UInt64 {
      let counter = key + RedisCommand.counterSuffix
      for _ in 1...100 {
        let replies = try replies(to: [
          RedisCommand("WATCH", counter), RedisCommand("GET", counter), RedisCommand("TIME"),
          .lastEntry(of: Array(key.utf8)),
        ])
        for reply in replies { _ = try reply.get() }
        let former = max(try epoch(in: replies[1], counter), StreamEntry.entries(replies[3]).first?.id.epoch ?? 0)
        guard former < UInt64.max else { throw .refused("there is no greater number for an outlet: delete the key") }
        let epoch = max(former + 1, try milliseconds(in: replies[2]))
        let changes = try self.replies(to: [
          RedisCommand("MULTI"), RedisCommand("SET", counter, "\(epoch)"), RedisCommand("EXEC"),
        ])
        for reply in changes { _ = try reply.get() }
        // There is no result if another outlet has changed the counter.
        if let result = changes[2][0] {
          _ = try result.get()
          return epoch
        }
      }
      throw .unreachable("other outlets take the key over all the time")
    }

    private func epoch(in counter: RedisReply, _ key: String) throws(RedisError.Reason) -> UInt64 {
      guard !counter.isNil else { return 0 }
      guard let epoch = UInt64(counter.text) else {
        throw .refused("\(key) isn't the number of an outlet: delete it")
      }
      return epoch
    }

    private func milliseconds(in time: RedisReply) throws(RedisError.Reason) -> UInt64 {
      guard let seconds = UInt64(time[0]?.text ?? ""), let microseconds = UInt64(time[1]?.text ?? ""),
        seconds < 1 << 40, microseconds < 1_000_000
      else { throw .unreachable("the reply to TIME isn't a time") }
      return seconds * 1_000 + microseconds / 1_000
    }
  }

  extension RedisCommand {
    /// What is appended to the key of a stream for the key of the counter that numbers its outlets.
    static let counterSuffix = ":epoch"

    /// The command that reads the last entry of a stream.
    static func lastEntry(of key: [UInt8], from first: String = "-") -> RedisCommand {
      var command = RedisCommand("XREVRANGE", of: key)
      for argument in ["+", first, "COUNT", "1"] { command.append(argument) }
      return command
    }
  }
#endif
