#if Redis
  import Foundation
  import SubPub

  /// The writing task.
  extension OutletWriter {
    func writeStates() async {
      defer { isOver = true }
      if lease != nil {
        guard await waitForLease() else { return }
      }
      // All copies of an iterator are one.
      guard await isConnected(), var states else { return }
      // What was published while another outlet wrote is old by now.
      if lease != nil {
        while states.statistics.pending > 1 {
          _ = await states.next()
          progress.noteNeedless()
        }
      }
      while !hasTakenAll, let publication = await states.next() {
        guard await encode(publication, followedBy: states), await write(waitingForAll: false) else { return }
      }
      guard await write(waitingForAll: true), let epoch, let connection else { return }
      stop()
      // Otherwise the next outlet has to wait, and that is all.
      do {
        try await section.withPermit {
          try await connection.exclusively { try await connection.noteEnd(of: epoch, endsLease: lease != nil) }
        }
      } catch {
        lose(connection)
      }
    }

    /// Whether everything is taken that a cancelled run has to write.
    private var hasTakenAll: Bool {
      guard let taken, let finalVersion else { return false }
      return taken >= finalVersion
    }

    /// Makes entries of a state and of those that are pending; returns false if the run has ended.
    private func encode(_ first: Publication<Value>, followedBy states: States) async -> Bool {
      noteTaken(first)
      // What is sent in between renews the lease.
      let end = ContinuousClock.now + .milliseconds(10)
      do {
        try await section.withPermit { try makeEntries(of: first, followedBy: states, until: end) }
        return true
      } catch {
        // Cancelled.
        return false
      }
    }

    /// Makes entries until there is enough to be sent at once, or it is time for something else.
    private func makeEntries(
      of first: Publication<Value>, followedBy states: States, until end: ContinuousClock.Instant
    ) throws {
      var next = Optional(first)
      while let publication = next {
        guard let epoch else { throw CancellationError() }
        let isChunk = progress.append(encoder.entry(for: publication, epoch: epoch))
        if isChunk || hasTakenAll || .now >= end { return }
        next = states.takePending()
        if let next { noteTaken(next) }
      }
    }

    private func noteTaken(_ publication: Publication<Value>) {
      taken = publication.version
      progress.noteTaken()
    }

    /// Sends the entries, and waits until the server has confirmed all of them, or so many that there is room for more.
    private func write(waitingForAll: Bool) async -> Bool {
      while await isConnected(), let connection {
        do {
          try await section.withPermit {
            // The other task may have looked at the stream.
            if connection === self.connection { try await write(over: connection, waitingForAll: waitingForAll) }
          }
          if connection === self.connection { return true }
        } catch is Doubtful {
          continue
        } catch {
          if !(error is CancellationError) { fail(error) }
          return false
        }
      }
      return false
    }

    private func write(over connection: OutletConnection, waitingForAll: Bool) async throws {
      let wasIdle = !progress.areUnderWay
      do { try await send(over: connection, waitingForAll: waitingForAll) } catch let error as RedisError.Reason {
        guard isActive, !Task.isCancelled else { throw CancellationError() }
        noteLoss(of: connection, error, wasIdle: wasIdle)
      } catch let error as RedisSuperseded {
        end(by: error)
        throw error
      }
    }

    /// Ends the run because another outlet has taken over.
    func end(by error: RedisSuperseded) {
      guard isActive else { return }
      outlet.tell { $0.superseded($1) }
      fail(error)
    }

    /// Lets the connecting task make another connection, after a failure to write.
    func noteLoss(of connection: OutletConnection, _ error: RedisError.Reason, wasIdle: Bool) {
      // Servers may close connections that are idle, and the connecting task notices if there is more to it.
      if !(wasIdle && connection.isClosed) { noteFailure(outlet.error(error)) }
      if case .refused = error { outlet.tell { $0.refused($1, outlet.error(error)) } }
      if error.refusesToWrite { wasRefused = true }
      lose(connection)
    }

    func noteFailure(_ error: RedisError) {
      outlet.counts.noteFailure(error)
      outlet.attemptFailed(error)
    }

    /// Waits for a connection; returns false if there won't be one.
    private func isConnected() async -> Bool {
      while connection == nil, isActive {
        report()
        await withCheckedContinuation { writer = $0 }
      }
      return isActive
    }

    func resumeWriter() {
      writer?.resume()
      writer = nil
    }

    /// Lets the connecting task make a new connection.
    private func lose(_ lost: OutletConnection) {
      guard connection === lost else { return }
      (connection, hasLostConnection) = (nil, true)
      watch.wake.set()
    }
  }

  /// Sending, which both tasks do.
  extension OutletWriter {
    /// Sends the entries, and waits until all of them have a reply, or enough.
    func send(over connection: OutletConnection, waitingForAll: Bool) async throws {
      defer { report() }
      do { try await sendAll(over: connection, waitingForAll: waitingForAll) } catch let error as RedisError.Reason {
        if connection.isClosed || error.isProtocolError { noteClosing() }
        throw error
      }
    }

    /// Notes that the server has ended the connection, maybe because of the first entry.
    ///
    /// It does so if a value is larger than it may be. An entry with which that happens again and again is written as
    /// an error, so that those after it are written.
    private func noteClosing() {
      guard let first = entries.firstEntry, first.arguments.byteCount >= Self.smallestLimit else {
        return suspect = nil
      }
      let count = suspect?.id == first.id ? (suspect?.count ?? 0) + 1 : 1
      suspect = (first.id, count)
      if count < Self.closingsOfSuspect { return }
      let substitute = encoder.substitute(for: first)
      progress.change { $0.replaceFirst(with: substitute) }
      suspect = nil
    }

    /// A little less than the smallest limit that a server can have, in bytes.
    private static var smallestLimit: Int { 1_000_000 }
    private static var closingsOfSuspect: Int { 3 }

    private func sendAll(over connection: OutletConnection, waitingForAll: Bool) async throws {
      for _ in 1...100 {
        try await verify(connection)
        watch.noteWriting()
        try connection.send(progress)
        try await progress.wait(for: waitingForAll ? .everything : .room, over: connection.entryChannel)
        guard let refusal = progress.refusal else { return }
        try await progress.wait(for: .everything, over: connection.entryChannel)
        try await recover(from: refusal, over: connection)
      }
      throw RedisError.Reason.unreachable("the stream is deleted all the time")
    }

    /// Looks at the outlet's number unless it was seen a moment ago, right before something is sent (8.08).
    private func verify(_ connection: OutletConnection) async throws {
      let time = ContinuousClock.now
      let isLeaseDue = lease?.isDue ?? false
      guard certainty.isDue(at: time) || isLeaseDue else { return }
      try await progress.wait(for: .everything, over: connection.entryChannel)
      guard progress.refusal == nil else { return }
      if isLeaseDue { try await renewLease(over: connection) }
      guard certainty.isDue(at: time) else { return }
      if certainty.isSure(at: time), try await connection.number() == epoch {
        certainty.verify(at: time)
        // Unless the reply has taken too long.
        if certainty.isSure(at: .now) { return }
      }
      guard try await settle(connection) else { throw Doubtful() }
    }

    /// Goes on after the server has refused the first entry and all after it.
    private func recover(from refusal: OutletEntries.Refusal, over connection: OutletConnection) async throws {
      var isTooSmall = false
      if case .refused(let message) = refusal {
        let reason = RedisError.Reason.refused(message)
        guard reason.isTooSmallID else { throw reason }
        isTooSmall = true
      }
      let first = entries.firstEntry?.id
      guard try await settle(connection) else { throw Doubtful() }
      // It wasn't a repetition of an entry that had arrived. So there was a greater one, which somebody has deleted.
      if isTooSmall, first == entries.firstEntry?.id { throw superseded }
    }

    var superseded: RedisSuperseded { RedisSuperseded(endpoint: outlet.endpoint, key: outlet.key) }
  }

  /// Nothing can be sent, because the outlet has begun to wait for one that may have superseded it.
  struct Doubtful: Error {}
#endif
