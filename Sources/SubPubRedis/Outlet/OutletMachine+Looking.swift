#if Redis
  import SubPub

  /// A look at the key of an outlet.
  ///
  /// It shows whether the server still knows the outlet's number, and whether the stream ends as before (8.08). A
  /// connection takes the looks of all of its outlets together.
  struct OutletLook: Equatable {
    /// How often looks are taken: a dead connection is noticed within twice the time that a reply may take (8.07), and
    /// an outlet is sure all the while, unless the way to the server and back takes longer than two seconds.
    static func interval(replyTimeout: Duration) -> Duration { min(.seconds(1), replyTimeout / 2) }

    /// The number of the outlet's connection.
    let connection: Int
    let sent: Moment
    let end: End

    /// What is asked about the end of the stream.
    enum End: Equatable {
      /// Nothing: entries are on their way, the outlet doesn't write, or others have their turn.
      case nothing
      /// Which entry it is.
      case entry
      /// The entry is large, so a script tells its id, once the number is known.
      case large
    }

    /// How many replies it takes.
    var replyCount: Int { if case .entry = end { 2 } else { 1 } }
  }

  extension OutletMachine {
    /// Appends what asks the server; returns nil if there is nothing to be asked.
    ///
    /// `share` is what may be read of the last entry.
    func look(at now: Moment, reading share: inout LookShare, askingWith bytes: inout [UInt8]) -> OutletLook? {
      guard let connection, isLooking, !isComparing else { return nil }
      let size = phase == .writing && entries.isEmpty ? entries.lastByteCount : nil
      let end = size.map { endToAskFor($0, &share) } ?? .nothing
      if case .entry = end { bytes += settings.looks.atBoth } else { bytes += settings.looks.atNumber }
      return OutletLook(connection: connection, sent: now, end: end)
    }

    private func endToAskFor(_ size: Int, _ share: inout LookShare) -> OutletLook.End {
      if size > Self.largestToRead { return .large }
      return share.take(size + Self.entryOverhead) ? .entry : .nothing
    }

    private var isLooking: Bool {
      switch phase {
      case .doubting, .catchingUp, .writing: true
      case .resting, .connecting, .takingOver, .standingBy, .ending, .over: false
      }
    }

    /// How many bytes a last entry may have that is read to see whether it is still there; a script, which costs the
    /// server more, returns only its id.
    private static var largestToRead: Int { 4_096 }
    /// About how many bytes a reply has besides the entry's own.
    private static var entryOverhead: Int { 100 }

    /// The server has answered.
    mutating func looked(_ look: OutletLook, _ replies: some Collection<RedisReply>, at now: Moment) {
      guard look.connection == connection else { return }
      if let refusal = replies.lazy.compactMap(\.refusal).first { return refused(refusal) }
      var rest = replies[...]
      guard let number = rest.popFirst()?.outletNumber, number == token else { return compare(at: now) }
      if case .doubting = phase {
        certainty.noteSeen(at: look.sent)
        return
      }
      // Also if the way is so long that the outlet isn't sure.
      if phase == .writing { noteWork() }
      // After a longer time without contact, the number alone says nothing: it may be that of an older copy.
      guard certainty.isSure(at: now) else { return compare(at: now) }
      certainty.verify(at: look.sent)
      guard phase == .writing else { return }
      switch look.end {
      case .nothing: break
      case .entry:
        // The replies to all that was sent before the look have arrived before this one.
        if rest.first?[0]?[0].flatMap({ EntryID($0.bytes) }) != stream.end { compare(at: now) }
      case .large: if entries.isEmpty { compare(at: now) }
      }
    }
  }
#endif
