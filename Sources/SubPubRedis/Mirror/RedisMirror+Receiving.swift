#if Redis
  import Foundation
  import SubPub

  extension RedisMirror {
    /// Publishes what the reader has found; called on its thread, one event at a time.
    func receive(_ event: StreamEvent) -> StreamRequest? {
      let result = state.withLock { $0.machine.received(event, at: .now, wallClock: .millisecondsNow) }
      if result.isFirst { tell { $0.connected($1, isWriting: false) } }
      switch result.showing {
      case .entry(let entry, let hasData, let lag): show(entry, hasData: hasData, lag: lag)
      case .last: publish(lastState.withLock { $0 })
      case .nothing:
        // Also if somebody has put data there. A relay doesn't take it for a reset.
        publisher.setState(.unknown, origin: nil, age: nil, id: .nothing)
      case nil: break
      }
      return result.request
    }

    private func show(_ entry: StreamEntry, hasData: Bool, lag: Duration?) {
      do {
        var last = EntryState(try entry.state(by: coder), of: entry)
        let error = state.withLock { $0.machine.note(entry, isDecoded: true, hasData: hasData, lag: lag) }
        if !hasData { last = last.withData(of: lastState.withLock { $0 }) }
        keep(last)
        if let error { last = last.failed(error) }
        publish(last)
      } catch {
        state.withLock { $0.machine.note(entry, isDecoded: false, hasData: hasData, lag: lag) }
        let shown = lastState.withLock { $0 }.failed(self.error(error))
        keep(shown)
        publish(shown)
      }
    }

    private func keep(_ new: EntryState<Value>) {
      // The former one may hold foreign objects, which are released outside the lock.
      var former = new
      lastState.withLock { swap(&$0, &former) }
    }

    private func publish(_ last: EntryState<Value>) {
      publisher.setState(
        last.state, origin: last.origin, age: last.since.map { $0.milliseconds(until: .millisecondsNow) }, id: last.id,
        isDataInherited: last.isDataInherited)
    }
  }

  /// What an entry says about the state, and about its data.
  struct EntryState<Value: Sendable>: Sendable {
    private(set) var state = LoadState<Value>.unknown
    private(set) var origin: DataOrigin?
    /// When the data was new, in milliseconds since 1970.
    private(set) var since: Int64?
    /// The identifier in the publishing process; nil for what only the mirror says.
    private(set) var id: PublicationID?
    /// Whether the data isn't that of this process.
    private(set) var isDataInherited = false

    /// No entry.
    init() {}

    init(_ state: LoadState<Value>, of entry: StreamEntry) {
      self.state = state
      if state.value != nil { origin = entry.origin }
      (since, id, isDataInherited) = (entry.since, entry.publication, entry.isInherited)
    }

    /// What another entry has shown, as loading, or as this error if this is one.
    func withData(of other: Self) -> Self {
      var result = other
      result.isDataInherited = true
      switch state {
      case .loading: (result.state, result.id) = (.loading(previous: other.state.value), id)
      case .error(let error, _): (result.state, result.id) = (.error(error, previous: other.state.value), id)
      case .unknown, .loaded: break
      }
      return result
    }

    /// An error of the mirror, with the same data.
    func failed(_ error: RedisError) -> Self {
      var failed = self
      (failed.state, failed.id) = (.error(error, previous: state.value), nil)
      return failed
    }
  }

  extension Int64 {
    /// The time in milliseconds since 1970.
    static var millisecondsNow: Int64 { Int64(Date().timeIntervalSince1970 * 1_000) }

    /// How much later another time is, which anybody may have written (8.05).
    func milliseconds(until later: Int64) -> Duration {
      let (age, overflows) = later.subtractingReportingOverflow(self)
      return .milliseconds(overflows ? .max : Swift.max(0, age))
    }
  }
#endif
