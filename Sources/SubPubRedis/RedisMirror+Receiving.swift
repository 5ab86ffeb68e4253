#if Redis
  import SubPub

  extension RedisMirror {
    /// Publishes what the reader has found; called on its thread, once at a time.
    func receive(_ event: StreamEvent) {
      let (isFirstAnswer, isShown) = state.withLock { state in
        defer { state.noteAnswer() }
        return (!state.hasAnswered, event.entryID.map { state.hasShown($0) } ?? false)
      }
      if isFirstAnswer { tell { $0.connected($1, isWriting: false) } }
      if isShown { return }
      switch event {
      case .empty:
        // Also if somebody has put data there. A relay doesn't take it for a reset.
        publisher.setState(.unknown, origin: nil, age: nil, id: .nothing)
      case .unchanged: publish(lastState.withLock { $0 })
      case .current(let entry): receive(entry, lag: .zero)
      case .entry(let entry): receive(entry, lag: entry.sent.map(lag(since:)))
      case .caughtUp: if lagLimit != nil, isBehind { publish(lastState.withLock { $0 }) }
      }
    }

    /// How long an entry has taken; it may have waited for as long as the pace.
    private func lag(since sent: Int64) -> Duration {
      max(.zero, Duration(sinceMilliseconds: sent) - (pacing ?? .zero))
    }

    private var isBehind: Bool {
      if case .behind = (publisher.state.error as? RedisError)?.reason { true } else { false }
    }

    private func receive(_ entry: StreamEntry, lag: Duration?) {
      do {
        let decoded = EntryState(try entry.state(by: coder), of: entry)
        state.withLock { $0.note(entry.id, isDecoded: true, lag) }
        keep(decoded)
        if let lag, let lagLimit, lag > lagLimit {
          publish(decoded.failed(self.error(.behind(lag, limit: lagLimit))))
        } else {
          publish(decoded)
        }
      } catch {
        let failed = lastState.withLock { $0 }.failed(self.error(error))
        state.withLock { $0.note(entry.id, isDecoded: false, lag) }
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
