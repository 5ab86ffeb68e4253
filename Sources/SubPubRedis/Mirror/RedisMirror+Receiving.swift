#if Redis
  import SubPub

  extension RedisMirror {
    /// Publishes what the reader has found; called on its thread, once at a time.
    func receive(_ event: StreamEvent) {
      let (isFirstAnswer, found) = state.withLock { state in
        defer { state.noteAnswer() }
        return (!state.hasAnswered, state.takeEntry(of: event, at: .now))
      }
      if isFirstAnswer { tell { $0.connected($1, isWriting: false) } }
      if let (entry, verdict) = found, verdict == .shows || verdict == .showsWithoutData {
        if case .entry = event {
          return receive(entry, lag: entry.sent.map(lag(since:)), hasData: verdict == .shows)
        }
        return receive(entry, lag: .zero, hasData: verdict == .shows)
      }
      switch event {
      case .empty:
        // Also if somebody has put data there. A relay doesn't take it for a reset.
        publisher.setState(.unknown, origin: nil, age: nil, id: .nothing)
      case .unchanged, .behind: publish(lastState.withLock { $0 })
      case .caughtUp: if lagLimit != nil, isBehind { publish(lastState.withLock { $0 }) }
      case .current, .entry, .checked: break
      }
    }

    /// How long an entry has taken; it may have waited for as long as the pace.
    private func lag(since sent: Int64) -> Duration {
      max(.zero, Duration(sinceMilliseconds: sent) - (pacing ?? .zero))
    }

    private var isBehind: Bool {
      if case .behind = (publisher.state.error as? RedisError)?.reason { true } else { false }
    }

    private func receive(_ entry: StreamEntry, lag: Duration?, hasData: Bool) {
      do {
        var decoded = EntryState(try entry.state(by: coder), of: entry)
        if !hasData { decoded = decoded.withData(of: lastState.withLock { $0 }) }
        state.withLock { $0.note(entry, isDecoded: true, lag) }
        keep(decoded)
        if let lag, let lagLimit, lag > lagLimit {
          publish(decoded.failed(self.error(.behind(lag, limit: lagLimit))))
        } else {
          publish(decoded)
        }
      } catch {
        let failed = lastState.withLock { $0 }.failed(self.error(error))
        state.withLock { $0.note(entry, isDecoded: false, lag) }
        keep(failed)
        publish(failed)
      }
    }

    private func keep(_ new: EntryState<Value>) {
      // The former one may hold foreign objects, which are released outside the lock.
      var former = new
      lastState.withLock { swap(&$0, &former) }
    }

    private func publish(_ last: EntryState<Value>) {
      publisher.setState(
        last.state, origin: last.origin, age: last.since.map(Duration.init(sinceMilliseconds:)), id: last.id)
    }
  }
#endif
