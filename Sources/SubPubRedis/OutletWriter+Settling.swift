#if Redis
  import SubPub

  /// Comparing what the server holds with what was written (8.06, 8.08).
  extension OutletWriter {
    /// Makes the entries agree with what the server holds, and the server's number with the outlet's.
    ///
    /// No reply may be under way.
    ///
    /// Returns false if the outlet may have been superseded by one that the server has forgotten. Then it has told the
    /// server its number, has written nothing else, and `doubt` is set: the outlet waits, and another one with a
    /// greater number restores that.
    func settle(_ connection: OutletConnection, isNew: Bool = false) async throws -> Bool {
      guard let epoch else { return true }
      if try await connection.exclusively({ try await settle(connection, epoch, isNew: isNew) }) { return true }
      beginDoubt(over: connection, for: certainty.wait, ContinuousClock().stopwatch())
      return false
    }

    private func settle(_ connection: OutletConnection, _ epoch: UInt64, isNew: Bool) async throws -> Bool {
      let hasWaited = doubt?.hasElapsed ?? false
      for _ in 1...100 {
        let time = ContinuousClock.now
        let look = try await connection.look()
        // Not before the reply, which may have taken long.
        let isSure = certainty.isSure(at: .now)
        if look.number ?? 0 > epoch { throw superseded }
        if let last = look.last, last > EntryID(epoch: epoch, version: taken ?? 0) { throw superseded }
        guard look.number == epoch else {
          if try await connection.setNumber(epoch), !isSure { return false }
          continue
        }
        if !isSure, !hasWaited {
          let hasRestarted = isNew && (look.start == nil || look.start != serverStart)
          if mayBeSuperseded || hasRestarted || isLastConfirmedMissing(look) { return false }
        }
        (doubt, mayBeSuperseded, serverStart) = (nil, false, look.start)
        try await confirm(upTo: look.last, over: connection)
        if let entry = missingEntry(look) {
          switch try await connection.restore(entry) {
          case .changed: continue
          case .impossible: unrestorable = entry.id
          case .restored: if entry.id == entries.firstEntry?.id { progress.change { $0.confirmFirst() } }
          }
        } else if entries.isEmpty {
          watch.expect(number: epoch, length: look.length)
        }
        certainty.verify(at: time)
        return true
      }
      throw RedisError.Reason.unreachable("others change the stream all the time")
    }

    /// Begins to wait for an outlet that may have superseded this one.
    func beginDoubt(
      over connection: OutletConnection, for time: Duration, _ elapsed: @escaping @Sendable () -> Duration
    ) {
      doubt = Doubt(connection: connection, wait: time, elapsed: elapsed)
      (self.connection, mayBeSuperseded) = (nil, true)
      watch.wake.set()
      countReconnect()
    }

    private func isLastConfirmedMissing(_ look: OutletConnection.Look) -> Bool {
      guard let entry = entries.lastConfirmed, entry.id != unrestorable else { return false }
      return look.last.map { $0 < entry.id } ?? true
    }

    /// The entry that the stream has to end with before anything else is written.
    private func missingEntry(_ look: OutletConnection.Look) -> OutletEntry? {
      if entries.lastConfirmed != nil { return isLastConfirmedMissing(look) ? entries.lastConfirmed : nil }
      return look.last == nil ? entries.firstEntry : nil
    }

    /// Finds out which entries have arrived without a reply, or before one was lost.
    private func confirm(upTo last: EntryID?, over connection: OutletConnection) async throws {
      if let last, let first = entries.firstEntry?.id, first <= last {
        do {
          let held = try await connection.ids(from: first, to: last, count: pageSize)
          progress.change { $0.settle(upTo: last, holding: held) }
        } catch {
          // The server may have cut off a client with a large reply (`client-output-buffer-limit`).
          pageSize = max(1, pageSize / 2)
          throw error
        }
      }
      progress.change { $0.sendAllAgain() }
    }
  }
#endif
