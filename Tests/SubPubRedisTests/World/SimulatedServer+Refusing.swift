#if Redis && (DEBUG || TESTABLE)
  @testable import SubPubRedis
  @testable import SubPubTesting

  /// What a server doesn't take, and what others do to it.
  extension SimulatedServer {
    /// Refusals, and whether they are of writes only.
    static let refusals = [
      ("OOM command not allowed when used memory > 'maxmemory'.", true),
      ("READONLY You can't write against a read only replica.", true),
      ("MISCONF Redis is configured to save RDB snapshots", true),
      ("BUSY Redis is busy running a script.", false), ("LOADING Redis is loading the dataset in memory", false),
      ("EXECABORT Transaction discarded because of: BUSY Redis is busy running a script.", false),
      ("ASK 15495 gone:6379", false), ("MOVED 15495 gone:6379", false), ("MOVED 15495 server:6379", false),
      ("TRYAGAIN Multiple keys request during rehashing of slot", false), ("CLUSTERDOWN The cluster is down", false),
      ("MASTERDOWN Link with MASTER is down", false),
      ("NOPERM User default has no permissions to run the 'eval' command", true),
      ("NOPERM User default has no permissions to run the 'xread' command", false),
    ]

    /// Whether an outlet may end with a refusal that lasts for longer than its time limit.
    static func mayLast(_ reason: RedisError.Reason) -> Bool {
      guard case .refused(let message) = reason else { return false }
      return ["OOM ", "READONLY ", "MISCONF "].contains(where: message.hasPrefix)
    }

    /// Whether an outlet may end at once.
    static func lasts(_ reason: RedisError.Reason) -> Bool {
      guard case .refused(let message) = reason else { return false }
      return ["NOPERM ", "WRONGTYPE "].contains(where: message.hasPrefix)
    }

    /// Lets the server refuse for moments, in the middle of what arrives.
    func refuseForMoments(_ message: String, for time: Duration) {
      guard refusal == nil else { return }
      world.note("the server refuses for moments: \(message)")
      flicker = (message, world.time + time)
    }

    func pieces(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
      guard let flicker, flicker.end > world.time, bytes.count < 100_000 else {
        if flicker != nil { server.refusal = nil }
        flicker = nil
        return [bytes[...]]
      }
      var (rest, pieces) = (bytes[...], [ArraySlice<UInt8>]())
      while !rest.isEmpty {
        pieces.append(rest.prefix(world.chance.number(1...200)))
        rest = rest.dropFirst(pieces.last?.count ?? 0)
      }
      return pieces
    }

    /// Where a value begins that the server doesn't take: it ends the connection there.
    func startOfTooLargeValue(in bytes: [UInt8]) -> Int? {
      guard bytes.count > largestValue else { return nil }
      return bytes.split(separator: 13).first { line in
        line.count < 12 && line.dropFirst().first == 36
          && Int(String(decoding: line.dropFirst(2), as: UTF8.self)) ?? 0 > largestValue
      }?.startIndex
    }

    /// Somebody puts something else in the place of a stream, for a while.
    func replace(_ key: String, for time: Duration) {
      world.note("somebody replaces \(key) of \(name)")
      noteLoss(of: key, isEvident: false)
      change { $0.records[Self.key(key)] = StandInData.Record(string: [1]) }
      world.after(time) { [self] in removeReplacements() }
    }

    func removeReplacements() {
      for key in keys where server.data.records[Self.key(key)].map({ $0.stream == nil }) ?? false { remove([key]) }
    }

    /// Somebody removes the first entries.
    func trim(_ key: String, to count: Int) {
      world.note("somebody trims \(key) of \(name)")
      trimmed.insert(key)
      change { $0.records[Self.key(key)]?.stream?.trim(to: count, inBlocks: false) }
    }

    /// Somebody else adds an entry, which is greater than all, and may delete it again.
    func addForeign(to key: String, deletesIt: Bool) {
      guard let last = last(of: key) else { return }
      world.note("somebody adds an entry to \(key)\(deletesIt ? ", and deletes it" : "")")
      let id = StandInID(
        milliseconds: max(last.epoch, milliseconds) + 1, sequence: 0)
      noteForeign(id.milliseconds, in: key)
      try? server.data.records[Self.key(key)]?.stream?.add(id, [Array("foreign".utf8), [1]])
      if deletesIt { server.data.records[Self.key(key)]?.stream?.remove(id) }
      noteLoss(of: key, isEvident: false)
    }
  }
#endif
