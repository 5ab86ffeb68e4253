#if Redis
  import SubPub

  /// What the server answers.
  extension OutletMachine {
    mutating func note(_ replies: some Collection<RedisReply>, at now: Moment) {
      let confirmed = entries.confirmedCount
      for reply in replies { entries.note(reply, at: now) }
      guard entries.confirmedCount > confirmed else { return }
      (trouble.wasIdle, trouble.changes) = (false, 0)
      noteWork()
      stream.end = entries.lastConfirmed?.id
    }

    /// Notes that the server answers an outlet that writes, or has taken something.
    mutating func noteWork() { (trouble.mayHurry, trouble.failures) = (true, 0) }

    mutating func answer(_ question: Question, _ reply: RedisReply, at now: Moment) {
      if let refusal = reply.refusal { return refused(refusal) }
      let confirmed = entries.confirmedCount
      defer { if entries.confirmedCount > confirmed { noteWork() } }
      switch question {
      case .takeOver(let sent): noteTakeOver(reply, sentAt: sent, at: now)
      case .settle(let sent): settle(reply, sentAt: sent, at: now)
      case .restore(let id, let sent): noteRestoration(reply, of: id, sentAt: sent, at: now)
      case .renew(let sent):
        if reply.integer == 1 {
          lease?.noteRenewal(sentAt: sent)
        } else {
          // It is another outlet's, whose number tells whether this one was superseded.
          lease?.noteLoss(at: now)
          compare(at: now)
        }
      case .end: end(nil)
      case .entries: break
      }
    }

    mutating func refused(_ message: String) { failed(.refused(explained(message))) }

    /// Says which commands a user has to be allowed.
    private func explained(_ refusal: String) -> String {
      // Redis adds where in the script that was.
      let message = refusal.firstRange(of: " script: ").map { String(refusal[..<$0.lowerBound]) } ?? refusal
      let isForbidden = message.hasPrefix("NOPERM ") || message.contains("can't run this command")
      if isForbidden {
        let more = lease == nil ? "" : "; one that stands by also needs PTTL, PEXPIRE, and DEL"
        return "\(message); an outlet needs \(OutletScript.commands)\(more)"
      }
      // Before version 7, Redis puts the reason at the end of an error of its own.
      guard message.hasPrefix("ERR Error running script"), let dash = message.ranges(of: ": -").last else {
        return message
      }
      return String(message[dash.upperBound...])
    }
  }

  /// Taking over.
  extension OutletMachine {
    private mutating func noteTakeOver(_ reply: RedisReply, sentAt sent: Moment, at now: Moment) {
      guard reply[0]?.integer == 1, let bytes = reply[1]?.bytes, let number = UInt64(digits: bytes) else {
        guard let rest = reply[1]?.integer, lease != nil else {
          return failed(.unreachable("the server's reply to a script has the wrong form"))
        }
        return standBy(rest: rest, at: now)
      }
      token = number
      certainty.noteTakeOver(at: sent)
      if lease != nil {
        lease?.noteRenewal(sentAt: sent)
        act(.subscribe)
      }
      if reply[2]?.integer == 1 {
        // The one before may be sure for a while, and would restore its own number if the server lost this one.
        return doubt(until: sent + OutletCertainty.takeOverDelay)
      }
      certainty.settle(at: sent)
      begin(after: StreamEntry(reply[3]), at: now)
    }

    private mutating func standBy(rest: Int64, at now: Moment) {
      let isNew = phase == .takingOver
      noteAnswer()
      lease?.noteRefusal(rest: rest, at: now)
      phase = .standingBy(
        until: lease?.nextAttempt(after: now, atLeastEvery: settings.checkInterval) ?? now + settings.checkInterval)
      (trouble.failures, trouble.refusing) = (0, nil)
      if isNew {
        act(.tell(.standsBy))
        trouble.isTold = true
      }
    }

    private mutating func doubt(until end: Moment, isSuspicious: Bool = true) {
      if isWriting { tellDisconnection() }
      phase = .doubting(until: end)
      if isSuspicious { certainty.beginDoubt() }
      noteAnswer()
    }

    /// Counts a connection that takes the place of one that was lost.
    private mutating func noteAnswer() {
      if trouble.hasLostConnection { reconnects += 1 }
      (trouble.hasLostConnection, trouble.hasMoved) = (false, false)
    }

    /// Writes what isn't confirmed.
    private mutating func begin(after last: StreamEntry?, at now: Moment) {
      noteAnswer()
      if !stream.isDataKnown {
        // Only now, because the outlet before may have written until a moment ago.
        stream.isDataKnown = true
        (stream.end, inherited) = (last?.id, last)
      }
      if phase != .writing { phase = .catchingUp }
      // Even if the way is so long that the outlet isn't sure any more: it has just compared.
      send(at: now)
    }
  }

  /// Comparing what the server holds with what was written (8.06, 8.08).
  extension OutletMachine {
    private mutating func settle(_ reply: RedisReply, sentAt sent: Moment, at now: Moment) {
      guard let token, let counter = reply[0], reply.count == 3 else {
        return failed(.unreachable("the server's reply to a script has the wrong form"))
      }
      let (number, last) = (counter.outletNumber, StreamEntry(reply[1]))
      if number ?? 0 > token { return supersede() }
      if let last, last.id > EntryID(epoch: token, version: demand.taken?.version ?? 0) { return supersede() }
      let hasLooked = certainty.noteSeen(at: sent)
      // Not before the reply, which may have taken long.
      let isSure = certainty.isSure(at: now)
      if !isSure {
        var hasWaited = false
        if case .doubting(let end) = phase { hasWaited = sent >= end && hasLooked }
        let isSuspicious = certainty.mayBeSuperseded || certainty.hasRestarted || isLastConfirmedMissing(last?.id)
        if number != token || isSuspicious && !hasWaited { return doubt(until: now + settings.doubtTime) }
        // Nothing looks different. But an older copy may be a moment old, and another outlet is about to restore its
        // own.
        if !hasWaited { return doubt(until: now + OutletCertainty.restoringTime, isSuspicious: false) }
      }
      if let last {
        let held = (0..<(reply[2]?.count ?? 0)).compactMap { reply[2]?[$0].flatMap { EntryID($0.bytes) } }
        entries.settle(upTo: last.id, holding: Set(held))
      }
      entries.sendAllAgain()
      if phase != .writing {
        // What the publisher's buffer holds is newer. One is kept for a new stream, and after a refusal: it shows
        // whether the server goes on.
        entries.keepLast(max(trouble.wasRefused || last == nil ? 1 : 0, settings.maxLength - demand.pending()))
      }
      stream.end = last?.id
      if let missing = missingEntry(last?.id) { return restore(missing, at: now, since: sent) }
      settled(at: now, since: sent, last)
    }

    private mutating func settled(at now: Moment, since sent: Moment, _ last: StreamEntry?) {
      certainty.settle(at: sent)
      // It wasn't a repetition of an entry that had arrived. So there was a greater one, which somebody has deleted.
      if let refused = trouble.tooSmall.take(), refused == entries.firstEntry?.id { return supersede() }
      if entries.isEmpty { trouble.changes = 0 }
      begin(after: last, at: now)
    }

    private mutating func supersede() {
      act(.tell(.superseded))
      end(RedisSuperseded(endpoint: settings.endpoint, key: settings.key))
    }

    private func isLastConfirmedMissing(_ last: EntryID?) -> Bool {
      guard let entry = entries.lastConfirmed else { return false }
      if let unrestorable = stream.unrestorable, unrestorable == (entry.id, last) { return false }
      return last.map { $0 < entry.id } ?? true
    }

    /// The entry that the stream has to end with before anything else is written.
    private func missingEntry(_ last: EntryID?) -> OutletEntry? {
      if entries.lastConfirmed != nil { return isLastConfirmedMissing(last) ? entries.lastConfirmed : nil }
      guard last == nil, let first = entries.firstEntry else { return nil }
      if let unrestorable = stream.unrestorable, unrestorable == (first.id, nil) { return nil }
      return first
    }

    private mutating func restore(_ entry: OutletEntry, at now: Moment, since sent: Moment) {
      guard let token else { return }
      let expected = stream.end.map { "\($0)" } ?? ""
      let arguments = ["\(token)", expected, "\(entry.id.predecessor)"] + settings.limit
      var command = OutletScript.restore.command([settings.counterKey, settings.key], arguments)
      command.append(entry.arguments)
      ask(.restore(entry.id, sent: sent), command)
    }

    private mutating func noteRestoration(_ reply: RedisReply, of id: EntryID, sentAt sent: Moment, at now: Moment) {
      switch reply.integer {
      case 1:
        if entries.firstEntry?.id == id {
          entries.confirmFirst()
          trouble.changes = 0
        }
        stream.end = id
      case 2: stream.unrestorable = (id, stream.end)
      default: return compare(at: now)
      }
      settled(at: now, since: sent, nil)
    }
  }
#endif
