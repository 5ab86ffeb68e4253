#if Redis
  import SubPub

  extension RedisMirror {
    /// Publishes what the reader has found; called on its thread, once at a time.
    func receive(_ event: StreamEvent) {
      let isFirstAnswer = state.withLock { state in
        defer { state.noteAnswer() }
        return !state.hasAnswered
      }
      if isFirstAnswer { tell { $0.connected($1, isWriting: false) } }
      switch event {
      case .empty:
        // A relay doesn't take it for a reset.
        if publisher.state.value == nil { publisher.setState(.unknown, origin: nil, age: nil, id: .nothing) }
      case .unchanged:
        if let former = former.withLock({ $0 }) { publisher.setState(of: former) }
      case .current(let entry): receive(entry, lag: .zero)
      case .entry(let entry): receive(entry, lag: entry.sent.map(Duration.init(sinceMilliseconds:)))
      }
    }

    private func receive(_ entry: StreamEntry, lag: Duration?) {
      if state.withLock({ $0.hasShown(entry.id) }) { return }
      do {
        let decoded = try entry.state(by: coder)
        state.withLock { $0.note(entry.id, isDecoded: true, lag) }
        if let lag, let lagLimit, lag > lagLimit {
          publish(.error(self.error(.behind(lag, limit: lagLimit)), previous: decoded.value), entry)
        } else {
          publish(decoded, entry)
        }
      } catch {
        state.withLock { $0.note(entry.id, isDecoded: false, lag) }
        publisher.setError(self.error(error))
      }
    }

    private func publish(_ state: LoadState<Value>, _ entry: StreamEntry) {
      let age = entry.since.map(Duration.init(sinceMilliseconds:))
      publisher.setState(state, origin: state.value == nil ? nil : entry.dataOrigin, age: age, id: entry.publication)
    }
  }
#endif
