#if Redis
  import SubPub

  /// What runs the user's code, on the outlet's thread.
  extension OutletRun {
    enum Pause: Hashable { case retry, giveUp }

    func tell(_ event: OutletMachine.Event) {
      outlet.tell { instrumentation, part in
        switch event {
        case .writes: instrumentation.connected(part, isWriting: true)
        case .standsBy: instrumentation.connected(part, isWriting: false)
        case .disconnected: instrumentation.disconnected(part)
        case .superseded: instrumentation.superseded(part)
        }
      }
    }

    /// Notes a failure, and lets the machine try again: at once after the loss of a connection, or else as the user's
    /// policy says.
    func rest(after reason: RedisError.Reason, isLoss: Bool) {
      guard !driver.state.withLock(\.machine.isOver) else { return }
      let error = outlet.error(reason)
      if case .refused = reason { outlet.tell { $0.refused($1, error) } }
      if isLoss {
        note(error)
        return driver.change { machine, _ in machine.retry() }
      }
      let time = stopwatch()
      let (count, isHopeless) = driver.change { machine, _ in machine.noteFailure(reason, at: time) }
      guard reason.isPassing, !isHopeless, let delay = outlet.retry.delay(after: count, error) else {
        return driver.change { machine, _ in machine.end(error) }
      }
      note(error)
      pause(.retry, for: delay) { $0.retry() }
    }

    private func note(_ error: RedisError) {
      state.withLock { $0.error = error }
      outlet.attemptFailed(error)
    }

    /// Waits on the user's clock, and goes on on the outlet's thread, because Swift's pool may be busy.
    func pause(_ pause: Pause, for time: Duration, then body: @escaping @Sendable (inout OutletMachine) -> Void) {
      let task = Task(executorPreference: executor) { [self] in
        do {
          try await outlet.clock.pause(for: time)
          driver.change { machine, _ in body(&machine) }
        } catch  where !Task.isCancelled {
          driver.change { machine, _ in machine.end(error) }
        } catch { /* The run is over. */  }
      }
      state.withLock { $0.pauses[pause] = task }
    }
  }
#endif
