#if Redis
  import Foundation
  import SubPub

  /// The connecting task.
  extension OutletWriter {
    func keepConnected() async {
      while isActive, !Task.isCancelled {
        do { await rest(for: try await attempt()) } catch { /* The run has ended. */ return }
      }
    }

    /// Does what is to be done next, in a task of its own: a task that lives on keeps the memory of its deepest call.
    private func attempt() async throws -> Pause? {
      let task = Task(executorPreference: executor) {
        try await self.section.withPermit { try await self.step() }
      }
      return try await withTaskCancellationHandler {
        try await task.value
      } onCancel: {
        task.cancel()
      }
    }

    /// How often in a row there was no connection, and since when the server has refused to write.
    struct Failures {
      var count = 0
      var refusing: (@Sendable () -> Duration)?
    }

    /// How long there is nothing to do, on which clock.
    ///
    /// The user's clock measures the delays between attempts only: other processes and the server know nothing of it.
    private struct Pause {
      let time: Duration
      var clock: any Clock<Duration> = ContinuousClock()
    }

    /// Does what is to be done next; returns how long there is nothing to do then, or nil if that isn't known.
    ///
    /// Throws if the run has ended.
    private func step() async throws -> Pause? {
      let former = connection
      do {
        try await proceed()
        failures = Failures()
        let look = doubt.map { min($0.rest, SharedConnection.checkInterval) }
        return [look, lease?.rest].lazy.compactMap { $0 }.min().map { Pause(time: $0) }
      } catch let error as CancellationError {
        throw error
      } catch let error as RedisSuperseded {
        end(by: error)
        throw error
      } catch {
        guard isActive else { throw CancellationError() }
        if (connection ?? standby ?? doubt?.connection) != nil { hasLostConnection = true }
        (connection, standby, doubt) = (nil, nil, nil)
        if Task.isCancelled { throw CancellationError() }
        // Servers may close connections that are idle.
        if former?.isClosed ?? false { return Pause(time: .zero) }
        if move(after: error as? RedisError.Reason) { return Pause(time: .zero) }
        let reason = error as? RedisError.Reason ?? .unreachable("\(error)".shortened)
        return Pause(time: try delay(after: outlet.error(reason)), clock: outlet.clock)
      }
    }

    /// Notes that there is no connection; returns how long to wait before the next attempt.
    ///
    /// Throws if there is to be none.
    private func delay(after error: RedisError) throws -> Duration {
      failures.count += 1
      if case .refused = error.reason { outlet.tell { $0.refused($1, error) } }
      // From now on if the clock was set back: otherwise, the outlet would go on for that much longer.
      if let elapsed = failures.refusing?(), elapsed < .zero { failures.refusing = nil }
      failures.refusing = error.reason.refusesToWrite ? failures.refusing ?? outlet.clock.stopwatch() : nil
      let isHopeless = failures.refusing.map { $0() >= outlet.endpoint.replyTimeout } ?? false
      guard error.reason.isPassing, !isHopeless, let delay = outlet.retry.delay(after: failures.count, error) else {
        fail(error)
        throw error
      }
      noteFailure(error)
      watch.wake.clear()
      // The end of the run may have been what has set it.
      guard isActive, !Task.isCancelled else { throw CancellationError() }
      return delay
    }

    /// Does what is to be done next.
    private func proceed() async throws {
      if let doubt {
        try await lookAgain(doubt)
      } else if let connection {
        try await check(connection)
      } else {
        try await connect()
      }
    }

    /// Makes a connection, takes over the key if that hasn't happened, and writes what isn't confirmed.
    private func connect() async throws {
      let new =
        if let standby { standby } else {
          OutletConnection(
            try await shared.connected(), outlet.keys, maxLength: outlet.maxLength, progress, wake: watch.wake)
        }
      outlet.counts.contact = new.channel.connection.contact
      // The lease is looked at without the permit, which others may have for a while, and once more with it.
      let beginning: Beginning =
        if epoch == nil, !(try await hasLease(over: new)) { .standsBy } else {
          try await shared.beginning.withPermit { try await begin(with: new) }
        }
      hasMoved = false
      // The user's code, which learns of a connection, is called without the permit, too.
      switch beginning {
      case .writes: startWriting(over: new)
      case .isInDoubt: break
      case .standsBy: standby = new
      }
    }

    /// What an outlet does with a new connection.
    private enum Beginning { case writes, isInDoubt, standsBy }

    /// Takes over the key if that hasn't happened, and writes what isn't confirmed.
    private func begin(with new: OutletConnection) async throws -> Beginning {
      if epoch == nil {
        let time = ContinuousClock.now
        guard let taken = try await takeOver(over: new) else { return .standsBy }
        epoch = taken.number
        serverStart = try await new.channel.connection.serverStart(over: new.channel)
        if taken.mayRunBefore {
          // The one before may be sure for a while, and would restore its own number if the server lost this one.
          beginDoubt(over: new, for: certainty.takeOverDelay) { ContinuousClock.now - time }
          return .isInDoubt
        }
        certainty.verify(at: time)
      }
      return try await catchUp(over: new) ? .writes : .isInDoubt
    }

    /// Takes over the key; returns nil if there is a lease, and another outlet has it.
    private func takeOver(over new: OutletConnection) async throws -> OutletConnection.TakeOver? {
      guard try await hasLease(over: new), let taken = try await new.exclusively({ try await new.takeOver(lease) })
      else { return nil }
      if lease != nil { takeStates() }
      standby = nil
      return taken
    }

    /// Takes the lease if there is one, and it is free; returns false if another outlet has it.
    private func hasLease(over new: OutletConnection) async throws -> Bool {
      guard var lease else { return true }
      let isTaken = try await new.takeLease(&lease)
      self.lease = lease
      countReconnect()
      return isTaken
    }

    /// Writes what isn't confirmed; returns false if the outlet may have been superseded.
    private func catchUp(over new: OutletConnection) async throws -> Bool {
      guard try await settle(new, isNew: doubt == nil) else { return false }
      countReconnect()
      if !hasBegun {
        // Only now, because the outlet before may have written until a moment ago.
        encoder.begin(after: try await new.last())
        hasBegun = true
      }
      // What the publisher's buffer holds is newer. After a refusal, one is kept: it shows whether the server goes on.
      let most = max(wasRefused ? 1 : 0, outlet.maxLength - pendingCount)
      progress.change { entries in
        entries.keepLast(most)
        entries.sendAllAgain()
      }
      do { try await send(over: new, waitingForAll: true) } catch is Doubtful { return false }
      return true
    }

    /// Lets the writing task write.
    private func startWriting(over new: OutletConnection) {
      wasRefused = false
      connection = new
      resumeWriter()
    }

    /// Renews the lease if there is one, and it is time; no reply may be under way.
    func renewLease(over connection: OutletConnection) async throws(RedisError.Reason) {
      guard var lease, lease.isDue else { return }
      try await connection.renewLease(&lease)
      self.lease = lease
    }

    /// Counts a connection that takes the place of one that was lost.
    func countReconnect() {
      if hasLostConnection { outlet.counts.update { $0.reconnects += 1 } }
      hasLostConnection = false
    }

    /// Looks whether another outlet has restored its number, while this one waits for that.
    private func lookAgain(_ doubt: Doubt) async throws {
      try await renewLease(over: doubt.connection)
      if !doubt.hasElapsed, try await doubt.connection.number() == epoch { return }
      if try await catchUp(over: doubt.connection) { startWriting(over: doubt.connection) }
    }

    /// Finds out whether the connection works, and the stream is as it was written.
    private func check(_ connection: OutletConnection) async throws {
      if let failure = connection.failure { throw failure }
      if progress.refusal != nil {
        // The writing task waits for a state, and not for the replies to those before.
        do { try await send(over: connection, waitingForAll: true) } catch let error as RedisError.Reason {
          noteLoss(of: connection, error, wasIdle: false)
        } catch is Doubtful { return }
      }
      guard entries.isEmpty, epoch != nil else { return }
      try await renewLease(over: connection)
      guard watch.knowledge == .outdated else { return }
      if try await settle(connection) { report() }
    }

    /// Waits for that time, or until somebody needs this task; nil if it is only needed then.
    private func rest(for pause: Pause?) async {
      if pause?.time == .zero { return }
      let timer = pause.map { pause in
        Task { [wake = watch.wake] in
          do { try await pause.clock.sleep(for: pause.time) } catch  where !Task.isCancelled { fail(error) } catch {
            return
          }
          wake.set()
        }
      }
      await watch.wake.wait()
      timer?.cancel()
    }
  }
#endif
