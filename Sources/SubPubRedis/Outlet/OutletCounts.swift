#if Redis
  import SubPub

  /// The statistics and the health of an outlet, over all of its runs.
  final class OutletCounts: Sendable {
    private struct State {
      var runs: [any OutletRunStatus] = []
      /// Those of the runs that have ended.
      var ended = RedisStatistics()
      var lastContact: LastContact?
      /// Why the last run has ended, or has no connection.
      var error: String?
    }

    private let state = Locked(State())

    func begin(_ run: any OutletRunStatus) {
      state.withLock { state in
        state.runs.append(run)
        state.error = nil
      }
    }

    /// Notes that a run has ended: nothing is to be written any more.
    func end(_ run: any OutletRunStatus, _ error: (any Error)?) {
      let (statistics, text) = (run.statistics, error.map { "\($0)".shortened })
      state.withLock { state in
        state.runs.removeAll { $0 === run }
        state.ended.add(statistics)
        state.error = text
      }
    }

    func noteContact(_ contact: LastContact) { state.withLock { $0.lastContact = contact } }

    var statistics: RedisStatistics {
      var (statistics, runs) = state.withLock { ($0.ended, $0.runs) }
      for run in runs { statistics.add(run.statistics) }
      return statistics
    }

    var health: RedisHealth {
      let (state, statistics) = (state.withLock { $0 }, statistics)
      let all = state.runs.map(\.status)
      let (isWriting, isWaiting) = (all.contains(where: \.isWriting), all.contains(where: \.isWaiting))
      let pending = all.reduce(0) { $0 + $1.pending }
      let since = all.lazy.compactMap(\.unconfirmedSince).min()
      return RedisHealth(
        isConnected: isWriting || isWaiting, isWriting: isWriting, lastContact: state.lastContact?.age,
        lag: since.map { $0.duration(to: .now) } ?? (pending == 0 && isWriting ? .zero : nil),
        reconnects: statistics.reconnects, pending: pending,
        error: isWriting || isWaiting ? nil : all.lazy.compactMap(\.error).first ?? state.error)
    }
  }

  /// What a run tells about itself.
  protocol OutletRunStatus: AnyObject, Sendable {
    var statistics: RedisStatistics { get }
    var status: OutletStatus { get }
  }

  struct OutletStatus {
    let isWriting: Bool
    let isWaiting: Bool
    /// How many states the run has to write.
    let pending: Int
    let unconfirmedSince: Moment?
    let error: String?
  }

  extension RedisStatistics {
    mutating func add(_ other: RedisStatistics) {
      entries += other.entries
      skipped += other.skipped
      undecodable += other.undecodable
      reconnects += other.reconnects
      lastEntry = other.lastEntry ?? lastEntry
    }
  }
#endif
