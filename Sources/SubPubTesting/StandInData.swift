#if Redis
  /// What a stand-in holds, and the commands that read and change it.
  struct StandInData {
    struct Key: Hashable {
      let database: Int
      let name: [UInt8]
    }

    struct Record {
      var string: [UInt8] = []
      /// Nil for a string.
      var stream: StandInStream?
      /// The last millisecond since 1970 in which it is there; nil if it doesn't expire.
      var end: Int?
    }

    /// The time in microseconds since 1970.
    var now = 0
    /// The same in milliseconds, which is all that a server knows about keys that expire.
    var millisecond: Int { now / 1_000 }
    var records: [Key: Record] = [:]
    /// Whether scripts may set the last id of a stream.
    var maySetID = true
    /// The keys that were changed since somebody has looked last.
    private(set) var changed: Set<Key> = []
    /// How often something was changed.
    private(set) var changeCount = 0

    mutating func takeChanged() -> Set<Key> {
      defer { changed = [] }
      return changed
    }

    mutating func entryCount(of key: Key) -> Int {
      expire(key)
      return records[key]?.stream?.count ?? 0
    }

    mutating func replaceRecords(by other: StandInData) {
      changed.formUnion(records.keys)
      changed.formUnion(other.records.keys)
      records = other.records
      changeCount += 1
    }

    mutating func removeAll() { for key in records.keys { remove(key) } }

    private mutating func remove(_ key: Key) {
      records[key] = nil
      note(key)
    }

    mutating func note(_ key: Key) {
      changed.insert(key)
      changeCount += 1
    }

    mutating func expire(_ key: Key) { if let end = records[key]?.end, end < millisecond { remove(key) } }

    /// Returns whether there is a stream.
    mutating func isStream(_ key: Key) throws(StandInRefusal) -> Bool {
      try isPresent(key, asStream: true)
    }

    mutating func isPresent(_ key: Key, asStream: Bool) throws(StandInRefusal) -> Bool {
      expire(key)
      guard let record = records[key] else { return false }
      guard (record.stream != nil) == asStream else {
        throw StandInRefusal("WRONGTYPE Operation against a key holding the wrong kind of value")
      }
      return true
    }
  }

  /// The commands.
  extension StandInData {
    enum Command: String { case get, set, del, pexpire, pttl, type, xadd, xlen, xrange, xrevrange, xsetid }

    mutating func run(
      _ command: Command, _ request: StandInRequest, in database: Int
    ) throws(StandInRefusal) -> StandInReply {
      var request = request
      let key = Key(database: database, name: try request.next())
      switch command {
      case .get: return try isPresent(key, asStream: false) ? StandInReply(records[key]?.string) : .noString
      case .set: return try set(key, request)
      case .del:
        var keys = [key]
        while request.argumentCount > 0 { keys.append(Key(database: database, name: try request.next())) }
        return StandInReply(keys.count { delete($0) })
      case .pexpire:
        let end = millisecond + (try request.nextNumber())
        expire(key)
        guard records[key] != nil else { return StandInReply(0) }
        if end <= millisecond {
          remove(key)
        } else {
          records[key]?.end = end
          note(key)
        }
        return StandInReply(1)
      case .pttl:
        expire(key)
        guard let record = records[key] else { return StandInReply(-2) }
        return StandInReply(record.end.map { $0 - millisecond } ?? -1)
      case .type:
        expire(key)
        return .status(records[key].map { $0.stream == nil ? "string" : "stream" } ?? "none")
      case .xadd: return try add(key, request)
      case .xlen: return try isStream(key) ? StandInReply(records[key]?.stream?.count ?? 0) : StandInReply(0)
      case .xrange, .xrevrange: return try range(key, request, isReversed: command == .xrevrange)
      case .xsetid:
        let id = try StandInID(try request.next())
        guard try isStream(key) else { throw StandInRefusal("ERR no such key") }
        try records[key]?.stream?.setLast(id)
        note(key)
        return .ok
      }
    }

    mutating func delete(_ key: Key) -> Bool {
      expire(key)
      guard records[key] != nil else { return false }
      remove(key)
      return true
    }

    private mutating func set(_ key: Key, _ request: StandInRequest) throws(StandInRefusal) -> StandInReply {
      var (request, onlyIfMissing) = (request, false)
      var record = Record(string: try request.next())
      while request.argumentCount > 0 {
        switch try request.nextWord() {
        case "nx": onlyIfMissing = true
        case "px": record.end = millisecond + (try request.nextNumber())
        default: throw .syntax
        }
      }
      expire(key)
      if onlyIfMissing, records[key] != nil { return .noString }
      records[key] = record
      note(key)
      return .ok
    }

    mutating func add(_ key: Key, _ request: StandInRequest) throws(StandInRefusal) -> StandInReply {
      var (request, limit, inBlocks) = (request, Int?.none, false)
      let onlyIfPresent = request.takes("nomkstream")
      if request.takes("maxlen") {
        inBlocks = request.takes("~")
        if !inBlocks { _ = request.takes("=") }
        limit = try request.nextNumber()
      }
      let id = try StandInID(try request.next())
      var fields = [try request.next(), try request.next()]
      while request.argumentCount > 0 { fields += [try request.next(), try request.next()] }
      let isPresent = try isStream(key)
      if !isPresent, onlyIfPresent { return .noString }
      if isPresent {
        // In its place, so that the entries aren't copied.
        try records[key]?.stream?.add(id, fields)
      } else {
        var stream = StandInStream()
        try stream.add(id, fields)
        records[key] = Record(stream: stream)
      }
      if let limit { records[key]?.stream?.trim(to: limit, inBlocks: inBlocks) }
      note(key)
      return .text(id.text)
    }

    private mutating func range(
      _ key: Key, _ request: StandInRequest, isReversed: Bool
    ) throws(StandInRefusal) -> StandInReply {
      var request = request
      let first = try StandInBound(try request.next(), isEnd: isReversed)
      let second = try StandInBound(try request.next(), isEnd: !isReversed)
      let count = request.takes("count") ? try request.nextNumber() : nil
      let (start, end) = isReversed ? (second, first) : (first, second)
      guard try isStream(key) else { return StandInReply([StandInReply]()) }
      return StandInReply(records[key]?.stream?.entries(from: start, to: end, count, isReversed: isReversed) ?? [])
    }
  }

  /// Reading several streams.
  extension StandInData {
    /// What `XREAD` asks for.
    struct Reading {
      private(set) var count: Int?
      /// For how long it waits for entries, in milliseconds; 0 for as long as it takes, nil if it doesn't wait.
      private(set) var limit: Int?
      private(set) var positions: [(key: Key, after: StandInID)] = []

      init(_ request: StandInRequest, in database: Int) throws(StandInRefusal) {
        var (request, names) = (request, [[UInt8]]())
        while !request.takes("streams") {
          switch try request.nextWord() {
          case "count": count = try request.nextNumber()
          case "block": limit = try request.nextNumber()
          default: throw .syntax
          }
        }
        guard request.argumentCount.isMultiple(of: 2) else { throw .syntax }
        for _ in 0..<request.argumentCount / 2 { names.append(try request.next()) }
        for name in names {
          positions.append((Key(database: database, name: name), try StandInID(try request.next())))
        }
      }
    }

    /// Returns the entries of those streams that have some; nil if none has.
    mutating func read(_ reading: Reading) throws(StandInRefusal) -> StandInReply? {
      var found: [StandInReply] = []
      for (key, position) in reading.positions where try isStream(key) {
        let entries = records[key]?.stream?.entries(from: .behind(position), to: .behind(.last), reading.count) ?? []
        if !entries.isEmpty { found.append(StandInReply([StandInReply(key.name), StandInReply(entries)])) }
      }
      return found.isEmpty ? nil : StandInReply(found)
    }
  }
#endif
