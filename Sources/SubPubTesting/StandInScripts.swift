#if Redis
  import SubPubRedis

  /// The scripts of an outlet, without an interpreter.
  extension StandInData {
    mutating func runScript(_ request: StandInRequest, in database: Int) throws(StandInRefusal) -> StandInReply {
      var request = request
      let source = String(decoding: try request.next(), as: UTF8.self)
      var keys: [Key] = []
      for _ in 0..<(try request.nextNumber()) { keys.append(Key(database: database, name: try request.next())) }
      guard let script = OutletScript.allCases.first(where: { $0.source == source }), let first = keys.first else {
        throw StandInRefusal("ERR a stand-in runs only the scripts of outlets")
      }
      let other = keys.count > 1 ? keys[1] : first
      switch script {
      case .takeOver: return try takeOver(first, other, keys.count > 2 ? keys[2] : nil, request)
      case .settle: return try settle(first, other, request)
      case .restore: return try restore(first, other, request)
      case .renew: return try renew(first, other, request)
      case .end: return try end(first, keys.count > 1 ? other : nil, request)
      }
    }

    private mutating func takeOver(
      _ counter: Key, _ stream: Key, _ lease: Key?, _ request: StandInRequest
    ) throws(StandInRefusal) -> StandInReply {
      var request = request
      let wantsFields = try request.next() == [49]
      let (text, number) = (try string(counter), try number(counter))
      let hasEnded = text?.hasSuffix(OutletScript.ended) ?? false
      let last = try last(stream)
      var newLease: (key: Key, holder: [UInt8], time: Int)?
      var hadLease = false
      if let lease {
        let (holder, time, when) = (try request.next(), try request.nextNumber(), try request.nextWord())
        if let other = try string(lease) {
          if Array(other.utf8) != holder {
            let rest = records[lease]?.end.map { $0 - millisecond } ?? time
            return StandInReply([StandInReply(0), StandInReply(rest)])
          }
        } else if !hasEnded, when != "always", !(when == "first" && number == nil && last == nil) {
          return StandInReply([StandInReply(0), StandInReply(-1)])
        }
        newLease = (lease, holder, time)
        hadLease = when == "always"
      }
      let former = max(number ?? 0, last?.id.milliseconds ?? 0)
      guard former < .max else {
        throw StandInRefusal("ERR there is no greater number for an outlet: delete the key")
      }
      let new = max(former + 1, UInt64(millisecond))
      set(counter, to: Array("\(new)".utf8))
      if let newLease { set(newLease.key, to: newLease.holder, for: newLease.time) }
      if maySetID { try? records[stream]?.stream?.setLast(StandInID(milliseconds: new, sequence: 0)) }
      let mayRunBefore = (former > 0 || hadLease) && !hasEnded
      return StandInReply([
        StandInReply(1), .text("\(new)"), StandInReply(mayRunBefore ? 1 : 0),
        last.map { wantsFields ? $0.reply : $0.id.reply } ?? .noString,
      ])
    }

    private mutating func settle(
      _ counter: Key, _ stream: Key, _ request: StandInRequest
    ) throws(StandInRefusal) -> StandInReply {
      var request = request
      let (token, first, wantsFields) = (try token(&request), try request.next(), try request.next() == [49])
      let (text, number, last) = (try string(counter), try number(counter), try last(stream))
      if last?.id.milliseconds ?? 0 <= token, number.map({ $0 < token }) ?? true {
        set(counter, to: Array("\(token)".utf8))
      }
      let start = first.isEmpty ? StandInBound.behind(.last) : try StandInBound(first, isEnd: false)
      let held = records[stream]?.stream?.ids(from: start).prefix { $0.milliseconds <= token }.prefix(1_024) ?? []
      let entry = last.map { wantsFields ? $0.reply : $0.id.reply }
      return StandInReply([
        StandInReply(text.map { Array($0.utf8) }), entry ?? .noString, StandInReply(held.map { .text($0.text) }),
      ])
    }

    private mutating func restore(
      _ counter: Key, _ stream: Key, _ request: StandInRequest
    ) throws(StandInRefusal) -> StandInReply {
      var request = request
      let (token, expected, before) = (try token(&request), try request.next(), try StandInID(try request.next()))
      guard try number(counter) == token, (try last(stream)).map({ Array($0.id.text.utf8) }) ?? [] == expected else {
        return StandInReply(0)
      }
      do throws(StandInRefusal) {
        if maySetID, records[stream] != nil { try records[stream]?.stream?.setLast(before) }
      } catch { /* As for a user who may not do that. */  }
      do throws(StandInRefusal) { _ = try add(stream, request) } catch {
        if error.message.contains("equal or smaller") { return StandInReply(2) }
        throw error
      }
      return StandInReply(1)
    }

    private mutating func renew(
      _ counter: Key, _ lease: Key, _ request: StandInRequest
    ) throws(StandInRefusal) -> StandInReply {
      var request = request
      let (holder, time, token) = (try request.next(), try request.nextNumber(), try token(&request))
      let (other, number) = (try string(lease), try number(counter) ?? 0)
      let isOwn = other.map { Array($0.utf8) == holder } ?? false
      if !isOwn, number > token || other != nil && number != token { return StandInReply(0) }
      set(lease, to: holder, for: time)
      return StandInReply(1)
    }

    private mutating func end(
      _ counter: Key, _ lease: Key?, _ request: StandInRequest
    ) throws(StandInRefusal) -> StandInReply {
      var request = request
      let token = try token(&request)
      guard try number(counter) == token else { return StandInReply(0) }
      set(counter, to: Array("\(token)\(OutletScript.ended)".utf8))
      if let lease, let holder = try string(lease), Array(holder.utf8) == (try request.next()) { _ = delete(lease) }
      return StandInReply(1)
    }
  }

  extension StandInID {
    /// An entry without its fields.
    fileprivate var reply: StandInReply { StandInReply([.text(text), StandInReply([StandInReply]())]) }
  }

  /// What the scripts read and set.
  extension StandInData {
    private mutating func string(_ key: Key) throws(StandInRefusal) -> String? {
      guard try isPresent(key, asStream: false) else { return nil }
      return records[key].map { String(decoding: $0.string, as: UTF8.self) }
    }

    /// The number that a counter begins with.
    private mutating func number(_ counter: Key) throws(StandInRefusal) -> UInt64? {
      guard let text = try string(counter) else { return nil }
      guard let number = UInt64(text.prefix { ("0"..."9").contains($0) }) else {
        let name = String(decoding: counter.name, as: UTF8.self)
        throw StandInRefusal("ERR \(name) isn't the number of an outlet: delete it")
      }
      return number
    }

    private func token(_ request: inout StandInRequest) throws(StandInRefusal) -> UInt64 {
      UInt64(String(decoding: try request.next(), as: UTF8.self)) ?? 0
    }

    private mutating func last(_ stream: Key) throws(StandInRefusal) -> (id: StandInID, reply: StandInReply)? {
      try isStream(stream) ? records[stream]?.stream?.last : nil
    }

    private mutating func set(_ key: Key, to string: [UInt8], for milliseconds: Int? = nil) {
      records[key] = Record(string: string, end: milliseconds.map { millisecond + $0 })
      note(key)
    }
  }
#endif
