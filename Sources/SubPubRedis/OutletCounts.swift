#if Redis
  import SubPub

  /// The statistics of an outlet.
  ///
  /// Publishers count what they drop, so that part is computed when somebody asks, even while nothing is written.
  final class OutletCounts: Sendable {
    private let state = Locked(State())

    private struct State {
      /// When the server has answered last.
      var contact: LastContact?

      var statistics = RedisStatistics()
      /// The last entry that was confirmed.
      var last: EntryID?
      var runs: [Run] = []
      var isConnected = false
      /// Whether it has a connection, and waits for another outlet's end.
      var isWaiting = false
      /// Why there is no connection, described.
      var error: String?
    }

    /// What a run takes from the publisher, and how far it is with that.
    private struct Run {
      let subscription: Subscription
      let progress: OutletProgress
      var takesStates = true

      /// How many states it has to write: one that it is just taking counts once.
      var pending: Int {
        guard takesStates else { return progress.unconfirmed.count }
        return max(0, subscription.statistics.acceptedCount - progress.finishedCount)
      }
    }

    var contact: LastContact? {
      get { state.withLock(\.contact) }
      set { state.withLock { $0.contact = newValue } }
    }

    var statistics: RedisStatistics {
      var (statistics, last, runs) = state.withLock { ($0.statistics, $0.last, $0.runs) }
      statistics.lastEntry = last.map { "\($0)" }
      for run in runs where run.takesStates { statistics.skipped += run.subscription.statistics.skipped }
      return statistics
    }

    var health: RedisHealth {
      let state = state.withLock { $0 }
      let pending = state.runs.reduce(0) { $0 + $1.pending }
      let since = state.runs.lazy.compactMap(\.progress.unconfirmed.since).min()
      let lag = since.map { $0.duration(to: .now) } ?? (pending == 0 && state.isConnected ? .zero : nil)
      return RedisHealth(
        isConnected: state.isConnected || state.isWaiting, isWriting: state.isConnected,
        lastContact: state.contact?.age,
        lag: lag, reconnects: state.statistics.reconnects, pending: pending, error: state.error)
    }

    func noteWaiting(_ isWaiting: Bool) {
      state.withLock { state in
        state.isWaiting = isWaiting
        if isWaiting { state.error = nil }
      }
    }

    /// Notes that a run has ended: nothing is to be written any more.
    func noteEnd(of progress: OutletProgress, _ error: (any Error)?) {
      state.withLock { state in state.runs.removeAll { $0.progress === progress } }
      if let error { noteFailure(error) }
    }

    func noteConnection(_ isConnected: Bool) {
      state.withLock { state in
        state.isConnected = isConnected
        if isConnected { state.error = nil }
      }
    }

    func noteFailure(_ error: any Error) {
      let text = "\(error)".shortened
      state.withLock { ($0.isConnected, $0.error) = (false, text) }
    }

    func noteProgress(_ new: (entries: Int, skipped: Int), _ last: EntryID?) {
      state.withLock { state in
        state.statistics.entries += new.entries
        state.statistics.skipped += new.skipped
        state.last = last ?? state.last
      }
    }

    func update(_ body: (inout RedisStatistics) -> Void) { state.withLock { body(&$0.statistics) } }

    /// Adds the subscription of a run.
    func begin(_ subscription: Subscription, _ progress: OutletProgress) {
      state.withLock { $0.runs.append(Run(subscription: subscription, progress: progress)) }
    }

    /// How many states a run has to write, or has written: those that its subscription was given, and hasn't skipped.
    func acceptedCount(of progress: OutletProgress) -> Int {
      let run = state.withLock { state in state.runs.first { $0.progress === progress } }
      return run?.subscription.statistics.acceptedCount ?? 0
    }

    /// Counts what a subscription has skipped so far, and nothing that it skips later.
    func end(_ subscription: Subscription) {
      let skipped = subscription.statistics.skipped
      state.withLock { state in
        guard let index = state.runs.firstIndex(where: { $0.subscription == subscription && $0.takesStates }) else {
          return
        }
        state.runs[index].takesStates = false
        state.statistics.skipped += skipped
      }
    }
  }

  extension Subscription.Statistics {
    /// How many states were delivered or are pending; taking one doesn't change it.
    fileprivate var acceptedCount: Int { delivered + pending }
  }
#endif
