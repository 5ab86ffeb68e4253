#if Redis
  import Foundation
  import SubPub

  /// The keys of an outlet.
  struct OutletKeys {
    let stream: String
    /// Numbers the outlets of the stream.
    var counter: String { stream + RedisCommand.counterSuffix }
    var lease: String { stream + ":lease" }
  }

  /// What an outlet says over a connection that it shares with others.
  ///
  /// Every function returns when the server has replied. What it changes is changed in a transaction that the server
  /// drops if the counter has changed since the last look.
  final class OutletConnection {
    /// What an outlet sees of its key.
    struct Look {
      /// The number of the last outlet; nil if the server has lost it.
      let number: UInt64?
      /// The last entry of the stream; nil if there is none.
      let last: EntryID?
      /// How many entries the stream has.
      let length: Int64
      /// What tells one start of the server from another; nil if the server doesn't tell.
      let start: String?
    }

    let channel: RedisChannel
    /// For the entries, whose replies go to the outlet's progress.
    let entryChannel: RedisChannel
    let keys: OutletKeys
    /// Whether nothing but this outlet was seen to change the counter and the stream since the last look.
    private var isWatching = false
    /// Whether the user may set the last id of the stream.
    private var maySetID = true

    /// What the commands begin with that add an entry, to a stream that must exist.
    private let adding: RedisCommand
    /// What the commands begin with that add an entry, and make the stream if there is none.
    private let making: RedisCommand

    /// Begins to use a connection; `wake` is told when it is lost.
    init(_ connection: RedisConnection, _ keys: OutletKeys, maxLength: Int, _ progress: OutletProgress, wake: Wake) {
      channel = RedisChannel(connection, notice: wake)
      let number = progress.beginConnection()
      entryChannel = RedisChannel(connection, notice: progress.changed) { [progress] replies in
        progress.note(replies, over: number)
      }
      self.keys = keys
      // The server removes blocks of about a hundred entries sooner than single ones.
      let limit = [maxLength < 1_000 ? "=" : "~", "\(maxLength)"]
      adding = RedisCommand("XADD", keys.stream, "NOMKSTREAM", "MAXLEN", limit[0], limit[1])
      making = RedisCommand("XADD", keys.stream, "MAXLEN", limit[0], limit[1])
    }

    deinit {
      channel.close()
      entryChannel.close()
    }

    /// Why the connection can't be used any more; nil while it can.
    var failure: RedisError.Reason? { channel.connection.failure }

    /// Whether the server has ended the connection.
    var isClosed: Bool { channel.connection.isClosed }

    /// Does several things that depend on each other, while no other outlet does over the same connection.
    func exclusively<Result>(_ body: () async throws -> Result) async throws -> Result {
      try await channel.connection.transactions.withPermit {
        isWatching = false
        return try await body()
      }
    }

    /// Sends the entries that haven't been sent.
    func send(_ progress: OutletProgress) throws(RedisError.Reason) {
      let (bytes, count) = progress.takeUnsent(adding)
      if count > 0 { try entryChannel.send(bytes, replies: count) }
    }

    /// Returns the number of the last outlet.
    func number() async throws(RedisError.Reason) -> UInt64? {
      try number(in: try await channel.reply(to: RedisCommand("GET", keys.counter)).get())
    }

    /// Returns the number and the last entry, and watches both from now on.
    func look() async throws(RedisError.Reason) -> Look {
      let start = try await channel.connection.serverStart(over: channel)
      // The empty transaction ends the watch from before. A full server refuses every command in a transaction.
      let replies = try await channel.replies(to: [
        RedisCommand("MULTI"), RedisCommand("EXEC"), RedisCommand("WATCH", keys.counter, keys.stream),
        RedisCommand("GET", keys.counter), .lastEntry(of: Array(keys.stream.utf8)), RedisCommand("XLEN", keys.stream),
      ])
      for reply in replies { _ = try reply.get() }
      isWatching = true
      return Look(
        number: try number(in: replies[3]), last: StreamEntry.entries(replies[4]).first?.id,
        length: replies[5].integer ?? 0, start: start)
    }

    /// Sets the number of the last outlet; returns false if what is watched has changed.
    func setNumber(_ number: UInt64) async throws(RedisError.Reason) -> Bool {
      guard let results = try await transact([RedisCommand("SET", keys.counter, "\(number)")]) else { return false }
      _ = try results[0]?.get()
      return true
    }

    /// What has become of an entry that was missing.
    enum Restoration {
      case restored
      /// The stream remembers a greater id, or the same.
      case impossible
      /// The counter or the stream has changed since the last look.
      case changed
    }

    /// Adds an entry that is missing in the stream, and makes the stream if there is none.
    ///
    /// A stream whose last entries were deleted remembers their ids, so it is made to forget them, if the user may do
    /// that.
    func restore(_ entry: OutletEntry) async throws(RedisError.Reason) -> Restoration {
      let add = making.followed(by: entry.arguments)
      let setID = RedisCommand("XSETID", keys.stream, "\(entry.id.predecessor)")
      do throws(RedisError.Reason) {
        // Without a stream, the first command fails, and the second one makes it.
        guard let results = try await transact(maySetID ? [setID, add] : [add]) else { return .changed }
        guard let refusal = results[results.count - 1]?.refusal else { return .restored }
        let reason = RedisError.Reason.refused(refusal)
        guard reason.isTooSmallID else { throw reason }
        return .impossible
      } catch  where error.isForbidden && maySetID {
        maySetID = false
        return .changed
      }
    }

    /// Runs commands unless what is watched has changed; returns nil then.
    private func transact(_ commands: [RedisCommand]) async throws(RedisError.Reason) -> RedisReply? {
      precondition(isWatching, "nothing is watched")
      isWatching = false
      let replies = try await channel.replies(to: [RedisCommand("MULTI")] + commands + [RedisCommand("EXEC")])
      for reply in replies { _ = try reply.get() }
      let results = replies[replies.count - 1]
      if results.isNil { return nil }
      guard results.count == commands.count else { throw .unreachable("the reply to EXEC has too few results") }
      return results
    }

    private func number(in counter: RedisReply) throws(RedisError.Reason) -> UInt64? {
      if counter.isNil { return nil }
      guard let number = counter.outletNumber else {
        throw .refused("\(keys.counter) isn't the number of an outlet: delete it")
      }
      return number
    }
  }

  extension OutletConnection {
    /// What an outlet that has taken over the key knows.
    struct TakeOver {
      let number: UInt64
      /// Whether the outlet before may still run.
      let mayRunBefore: Bool
    }

    /// Takes a new number, which is greater than all before, even if the server has lost them.
    ///
    /// The number is the server's time in milliseconds, unless the counter or the stream is ahead of that. Returns nil
    /// if there is a lease, and another outlet has it by now.
    func takeOver(_ lease: OutletLease?) async throws(RedisError.Reason) -> TakeOver? {
      let watched = [keys.counter] + (lease == nil ? [] : [keys.lease])
      for _ in 1...100 {
        let replies = try await channel.replies(
          to: [RedisCommand("WATCH", of: watched)] + watched.map { RedisCommand("GET", $0) }
            + [RedisCommand("TIME"), .lastEntry(of: Array(keys.stream.utf8))])
        for reply in replies { _ = try reply.get() }
        isWatching = true
        if let lease, replies[2].text != lease.holder { return nil }
        let last = StreamEntry.entries(replies[replies.count - 1]).first?.id
        let former = max(try number(in: replies[1]) ?? 0, last?.epoch ?? 0)
        guard former < UInt64.max else { throw .refused("there is no greater number for an outlet: delete the key") }
        guard let time = replies[replies.count - 2].milliseconds else {
          throw .unreachable("the reply to TIME isn't a time")
        }
        let new = max(former + 1, time)
        // There is no result if another outlet has changed the counter or the lease, or one of the same connection what
        // it has watched before.
        if try await setNumber(new) {
          return TakeOver(number: new, mayRunBefore: former > 0 && !replies[1].text.hasSuffix(Self.ended))
        }
      }
      throw .unreachable("other outlets take the key over all the time")
    }

    /// Tells the next outlet that the one with this number has ended, so that it needn't wait.
    func noteEnd(of number: UInt64, endsLease: Bool) async throws(RedisError.Reason) {
      let look = try await look()
      // If something changes in between, there is another outlet, or the next one waits.
      guard look.number == number else { return }
      var commands = [RedisCommand("SET", keys.counter, "\(number)\(Self.ended)")]
      if endsLease { commands.append(RedisCommand("DEL", keys.lease)) }
      _ = try await transact(commands)
    }

    /// What follows the number of an outlet that has ended.
    static let ended = " ended"

    /// Returns the last entry of the stream.
    func last() async throws(RedisError.Reason) -> StreamEntry? {
      StreamEntry.entries(try await channel.reply(to: .lastEntry(of: Array(keys.stream.utf8))).get()).first
    }

    /// Returns the ids of the entries between two; reads so many entries at a time, with their data.
    func ids(from first: EntryID, to last: EntryID, count: Int) async throws(RedisError.Reason) -> Set<EntryID> {
      var (ids, next): (Set<EntryID>, String) = ([], "\(last)")
      while true {
        let command = RedisCommand("XREVRANGE", keys.stream, next, "\(first)", "COUNT", "\(count)")
        let page = StreamEntry.entries(try await channel.reply(to: command).get()).map(\.id)
        ids.formUnion(page)
        guard page.count == count, let end = page.last, end > first else { return ids }
        next = "(\(end)"
      }
    }
  }

  extension RedisConnection {
    /// Returns what tells one start of the server from another; nil if the server doesn't tell.
    ///
    /// It is asked for once.
    func serverStart(over channel: RedisChannel) async throws(RedisError.Reason) -> String? {
      if let known = start.withLock({ $0 }) { return known.id }
      let reply = try await channel.reply(to: RedisCommand("INFO", "server"))
      let id = reply.text.split(whereSeparator: \.isNewline).first { $0.hasPrefix("run_id:") }.map(String.init)
      start.withLock { $0 = ServerStart(id: id) }
      return id
    }
  }

  extension RedisReply {
    /// The number of an outlet, which may have ended.
    var outletNumber: UInt64? {
      UInt64(digits: bytes.prefix { $0 != UInt8(ascii: " ") })
    }

    /// The server's time, since 1970; nil if this isn't a reply to `TIME`.
    var milliseconds: UInt64? {
      guard let seconds = UInt64(self[0]?.text ?? ""), let microseconds = UInt64(self[1]?.text ?? ""),
        seconds < 1 << 40, microseconds < 1_000_000
      else { return nil }
      return seconds * 1_000 + microseconds / 1_000
    }
  }

  extension RedisCommand {
    /// What is appended to the key of a stream for the key of the counter that numbers its outlets.
    static let counterSuffix = ":epoch"

    /// The command that reads the last entry of a stream.
    static func lastEntry(of key: [UInt8]) -> RedisCommand {
      var command = RedisCommand("XREVRANGE", of: key)
      for argument in ["+", "-", "COUNT", "1"] { command.append(argument) }
      return command
    }
  }
#endif
