#if Redis
  import SubPub

  /// What is due.
  extension OutletMachine {
    /// Does what can be done now, after something has changed.
    mutating func advance(at now: Moment) {
      switch phase {
      case .standingBy(let next): if now >= next, !isTakingOver { takeOver(at: now) }
      case .doubting(let end):
        renewIfDue(at: now)
        if isComparing { return }
        if now >= end { compare(at: now) }
      case .catchingUp, .writing:
        renewIfDue(at: now)
        if isComparing { return }
        write(at: now)
        proceed()
      case .resting, .connecting, .takingOver, .ending, .over: break
      }
    }

    /// Sends what isn't sent, and goes on after what was refused, or when everything is confirmed.
    private mutating func write(at now: Moment) {
      if let refusal = entries.refusal {
        // What is still under way is refused, too.
        if !entries.areUnderWay { recover(from: refusal, at: now) }
        return
      }
      if entries.maySend {
        if certainty.mayWrite(at: now) { send(at: now) } else { return compare(at: now) }
      }
      guard !entries.areUnderWay else { return }
      if phase == .catchingUp { beginWriting() }
      if demand.isAllTaken { noteEnd() }
    }

    private mutating func beginWriting() {
      phase = .writing
      (trouble.refusing, trouble.wasRefused) = (nil, false)
      act(.tell(.writes))
      trouble.isTold = true
    }

    /// Lets the writing task go on if it waits for that.
    private mutating func proceed() {
      guard let wait = demand.wait, mayTake else { return }
      // It gets more room than it needs, so that it isn't woken for each entry.
      if wait == .room, !entries.isHalfEmpty, entries.areUnderWay { return }
      demand.wait = nil
      act(.proceed)
    }

    private mutating func recover(from refusal: OutletEntries.Refusal, at now: Moment) {
      switch refusal {
      case .noStream:
        // A new one remembers no ids.
        stream.unrestorable = nil
        compare(at: now)
      case .refused(let message):
        let reason = RedisError.Reason.refused(message)
        // The server is about to end the connection.
        if reason.isProtocolError { noteObstacle(isLate: false) }
        guard reason.isTooSmallID else { return failed(reason) }
        trouble.tooSmall = entries.firstEntry?.id
        compare(at: now)
      }
    }

    /// When the lease is to be renewed, whether or not the server has answered before: a reply may be held up.
    var nextRenewal: Moment? {
      guard let lease, let due = lease.due else { return nil }
      for case .renew(let sent) in questions.reversed() { return max(due, sent + lease.renewalTime) }
      return due
    }

    private mutating func renewIfDue(at now: Moment) {
      guard let token, let lease, let next = nextRenewal, now >= next else { return }
      let arguments = [lease.holder, lease.time.wholeMilliseconds, "\(token)"]
      ask(.renew(sent: now), OutletScript.renew.command([settings.counterKey, settings.leaseKey], arguments))
    }
  }

  /// What is asked.
  extension OutletMachine {
    /// Whether the server was asked for the key, and hasn't answered.
    var isTakingOver: Bool { questions.contains { if case .takeOver = $0 { true } else { false } } }

    /// Whether it is being found out what the server holds; nothing is written meanwhile.
    var isComparing: Bool {
      questions.contains {
        switch $0 {
        case .settle, .restore: true
        case .takeOver, .renew, .entries, .end: false
        }
      }
    }

    mutating func ask(_ question: Question, _ command: RedisCommand) {
      questions.append(question)
      act(.send(command.encoded, replies: 1))
    }

    /// Sends the entries that haven't been sent, as far as there is room.
    mutating func send(at now: Moment) {
      if !entries.areUnderWay { trouble.wasIdle = true }
      let (bytes, count) = entries.takeUnsent(settings.adding, at: now)
      guard count > 0 else { return }
      if case .entries(let before)? = questions.last {
        questions[questions.count - 1] = .entries(before + count)
      } else {
        questions.append(.entries(count))
      }
      act(.send(bytes, replies: count))
    }

    mutating func takeOver(at now: Moment) {
      if !isWaiting { phase = .takingOver }
      var (keys, arguments) = ([settings.counterKey, settings.key], [stream.readsLast ? "1" : ""])
      if let lease {
        keys.append(settings.leaseKey)
        arguments += [lease.holder, lease.time.wholeMilliseconds, lease.attempt(at: now)]
      }
      ask(.takeOver(sent: now), OutletScript.takeOver.command(keys, arguments))
    }

    /// Finds out what the server holds, unless that is just being found out (8.06, 8.08).
    mutating func compare(at now: Moment) {
      guard let token, !isComparing else { return }
      trouble.changes += 1
      if trouble.changes > Self.mostChanges {
        trouble.changes = 0
        return failed(.unreachable("other clients keep changing the stream"))
      }
      let first = entries.firstEntry.map { "\($0.id)" } ?? ""
      ask(
        .settle(sent: now),
        OutletScript.settle.command(
          [settings.counterKey, settings.key], ["\(token)", first, stream.readsLast ? "1" : ""]))
    }

    private static var mostChanges: Int { 100 }

    private mutating func noteEnd() {
      guard phase == .writing, let token else { return }
      phase = .ending
      let keys = [settings.counterKey] + (lease == nil ? [] : [settings.leaseKey])
      ask(.end, OutletScript.end.command(keys, ["\(token)"] + (lease.map { [$0.holder] } ?? [])))
    }
  }
#endif
