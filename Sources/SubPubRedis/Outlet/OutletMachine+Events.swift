#if Redis
  import SubPub

  /// What happens to a run.
  extension OutletMachine {
    mutating func start() { act(.connect(nil)) }

    /// There is a connection, with a number that no other one of the run has; `start` tells one start of the server
    /// from another, if the server says so.
    mutating func connected(_ number: Int, start: String?, at now: Moment) {
      guard phase == .connecting else { return }
      connection = number
      certainty.noteConnection(start: start)
      trouble.tooSmall = nil
      if token == nil { return takeOver(at: now) }
      phase = .catchingUp
      compare(at: now)
      advance(at: now)
    }

    /// No connection could be made.
    mutating func cannotConnect(_ reason: RedisError.Reason) { if phase == .connecting { failed(reason) } }

    /// There are replies, in the order of what was sent over the connection with this number.
    mutating func received(_ replies: [RedisReply], over number: Int, at now: Moment) {
      guard number == connection else { return }
      var rest = replies[...]
      while let question = questions.first, let reply = rest.first {
        if case .entries(let count) = question {
          let batch = rest.prefix(count)
          rest = rest.dropFirst(batch.count)
          if batch.count < count { questions[0] = .entries(count - batch.count) } else { questions.removeFirst() }
          note(batch, at: now)
        } else {
          rest.removeFirst()
          questions.removeFirst()
          answer(question, reply, at: now)
        }
      }
      advance(at: now)
    }

    /// The connection with this number was lost: the other side may have ended it, or a reply to this outlet was late,
    /// perhaps because it was still arriving.
    mutating func lost(
      _ reason: RedisError.Reason, isClosed: Bool, isLate: Bool, isTooSlow: Bool, over number: Int
    ) {
      guard number == connection else { return }
      if isLate || isClosed || reason.isProtocolError { noteObstacle(isLate: isLate) }
      // One that never arrives in time would keep every outlet from beginning.
      if isTooSlow, stream.readsLast, isTakingOver || isComparing { stream.slowLasts += 1 }
      // Servers may close connections that are idle, and the next attempt notices if there is more to it.
      if phase == .writing, trouble.mayHurry, isClosed, trouble.wasIdle || !entries.areUnderWay {
        disconnect()
        (phase, trouble.mayHurry) = (.connecting, false)
        return act(.connect(nil))
      }
      failed(reason)
    }

    /// The delay before the next attempt is over.
    mutating func retry() {
      guard phase == .resting else { return }
      phase = .connecting
      // A node that doesn't work may not be the right one any more.
      act(.connect(trouble.isAway ? settings.endpoint : nil))
      (trouble.isAway, trouble.hasMoved) = (false, false)
    }

    /// It is time for something: see ``nextTime``.
    mutating func timeHasCome(at now: Moment) { advance(at: now) }

    /// A state was taken from the publisher, and is about to become an entry.
    mutating func taken(_ version: UInt64, at now: Moment) {
      if version == 0 { demand.hasTakenInitial = true }
      demand.taken = (version, version == 0 ? nil : now)
    }

    /// Adds the entry of the state that was taken; nil if it needs none.
    ///
    /// Returns whether there is enough to be sent at once.
    mutating func append(_ entry: OutletEntry?) -> Bool {
      if var entry {
        entry.taken = demand.taken?.since
        if entry.isSubstitute { undecodable += 1 }
        entries.append(entry)
      } else if demand.taken?.version != 0 {
        demand.needless += 1
      }
      demand.taken?.since = nil
      return entries.isChunk
    }

    /// The entries that were added are to be sent.
    ///
    /// Returns whether the writing task may take more states; otherwise, it waits for ``Action/proceed``.
    mutating func flush(at now: Moment) -> Bool {
      advance(at: now)
      if mayTake { return true }
      demand.wait = entries.isFull ? .room : .connection
      return false
    }

    /// Nothing more is to be taken: the publisher has finished, or everything from before the cancel is taken.
    mutating func noteAllTaken(at now: Moment) {
      (demand.isAllTaken, demand.wait) = (true, nil)
      advance(at: now)
    }

    /// Ends the run once the states are written that were accepted so far, up to this version.
    ///
    /// Only the first cancel counts.
    mutating func cancel(upTo version: UInt64, count: Int) {
      guard !isOver, demand.rest == nil else { return }
      demand.rest = (version, count)
      // Another outlet writes, or none.
      if lease != nil, token == nil { end(nil) }
    }

    /// The time is over that a cancelled run has.
    mutating func giveUp() {
      guard !isOver else { return }
      let count = max(0, (demand.rest?.count ?? 0) - finishedCount)
      end(phase == .ending || count == 0 ? nil : error(.unwritten(count)))
    }

    /// Ends the run, with an error if there is one.
    mutating func end(_ error: (any Error)?) {
      guard !isOver else { return }
      disconnect()
      phase = .over
      act(.end(error))
    }
  }

  /// Failures.
  extension OutletMachine {
    /// Counts a failure whose time the user's clock has measured; returns how many there were in a row, and whether the
    /// server has refused to write for so long that there is no point in trying again.
    mutating func noteFailure(
      _ reason: RedisError.Reason, at time: Duration
    ) -> (count: Int, isHopeless: Bool) {
      trouble.failures += 1
      guard reason.refusesToWrite else {
        trouble.refusing = nil
        return (trouble.failures, false)
      }
      // From now on if the clock was set back: otherwise, the outlet would go on for that much longer.
      let since = min(trouble.refusing ?? time, time)
      trouble.refusing = since
      return (trouble.failures, time - since >= settings.endpoint.replyTimeout)
    }

    /// Ends the use of the connection because of an error.
    mutating func failed(_ reason: RedisError.Reason) {
      let isLoss = phase == .writing && trouble.mayHurry
      if phase == .ending { return end(nil) }
      if reason.refusesToWrite { trouble.wasRefused = true }
      disconnect()
      if !trouble.hasMoved, let node = reason.node(of: settings.endpoint) {
        (trouble.hasMoved, trouble.isAway, phase) = (true, true, .connecting)
        return act(.connect(node))
      }
      phase = .resting
      if isLoss { trouble.mayHurry = false }
      act(.rest(reason, isLoss: isLoss))
    }

    private mutating func disconnect() {
      if isWriting || isWaiting { trouble.hasLostConnection = true }
      tellDisconnection()
      if connection != nil { act(.leave) }
      (connection, questions) = (nil, [])
      entries.sendAllAgain()
    }

    mutating func tellDisconnection() {
      if trouble.isTold { act(.tell(.disconnected)) }
      trouble.isTold = false
    }

    /// Notes that a connection was lost, maybe because of the entry that was to be written next.
    ///
    /// A server ends it if a value is larger than it may be, and a large one may take longer than a reply may. An entry
    /// with which one or the other happens again and again is written as an error, so that those after it are written.
    mutating func noteObstacle(isLate: Bool) {
      let (least, suspects) = (isLate ? Self.smallestObstacle : Self.smallestLimit, suspects)
      guard let large = suspects.first(where: { $0.arguments.byteCount >= least }) else {
        if !suspects.isEmpty { trouble.suspect = nil }
        return
      }
      let count = trouble.suspect?.id == large.id ? (trouble.suspect?.count ?? 0) + 1 : 1
      trouble.suspect = (large.id, count)
      if count < Self.lossesOfSuspect { return }
      entries.replace(with: large.substitute(for: settings, isLate: isLate, data: least))
      undecodable += 1
      trouble.suspect = nil
    }

    /// What is on its way to the stream, or is being restored.
    private var suspects: [OutletEntry] {
      if !entries.suspects.isEmpty { return entries.suspects }
      for case .restore(let id, _) in questions { return [entries.entry(id)].compactMap(\.self) }
      return []
    }

    /// A little less than the smallest limit that a server can have, in bytes.
    private static var smallestLimit: Int { 1_000_000 }
    /// What takes long on a very slow link, in bytes.
    private static var smallestObstacle: Int { 64 << 10 }
    private static var lossesOfSuspect: Int { 3 }

    func error(_ reason: RedisError.Reason) -> RedisError {
      RedisError(endpoint: settings.endpoint, key: settings.key, reason: reason)
    }
  }
#endif
