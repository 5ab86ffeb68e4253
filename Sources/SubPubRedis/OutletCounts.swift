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
      var active: [Subscription] = []
      var isConnected = false
      /// Whether it has a connection, and waits for another outlet's end.
      var isWaiting = false
      /// Why there is no connection, described.
      var error: String?
      /// How far the present run is.
      var progress: OutletProgress?
    }

    var contact: LastContact? {
      get { state.withLock(\.contact) }
      set { state.withLock { $0.contact = newValue } }
    }

    var statistics: RedisStatistics {
      var (statistics, last, active) = state.withLock { ($0.statistics, $0.last, $0.active) }
      statistics.lastEntry = last.map { "\($0)" }
      for subscription in active { statistics.skipped += subscription.statistics.skipped }
      return statistics
    }

    var health: RedisHealth {
      let state = state.withLock { $0 }
      // In this order, because states that are pending now are taken next.
      let waiting = state.active.reduce(0) { $0 + $1.statistics.pending }
      let (unconfirmed, since) = state.progress?.unconfirmed ?? (0, nil)
      let pending = waiting + unconfirmed
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
    func noteEnd(_ error: (any Error)?) {
      state.withLock { $0.progress = nil }
      if let error { noteFailure(error) }
    }

    func noteConnection(_ isConnected: Bool) {
      state.withLock { state in
        state.isConnected = isConnected
        if isConnected { state.error = nil }
      }
    }

    func noteFailure(_ error: any Error) {
      let text = "\(error)"
      state.withLock { ($0.isConnected, $0.error) = (false, text) }
    }

    func noteProgress(_ new: (entries: Int, skipped: Int), _ last: EntryID?) {
      state.withLock { state in
        state.statistics.entries += new.entries
        state.statistics.skipped += new.skipped
        state.last = last ?? state.last
      }
    }

    /// Shows how far a run is from now on.
    func begin(_ progress: OutletProgress) { state.withLock { $0.progress = progress } }

    func update(_ body: (inout RedisStatistics) -> Void) { state.withLock { body(&$0.statistics) } }

    /// Adds the subscription of a run.
    func begin(_ subscription: Subscription) { state.withLock { $0.active.append(subscription) } }

    /// Counts what a subscription has skipped so far, and nothing that it skips later.
    func end(_ subscription: Subscription) {
      let skipped = subscription.statistics.skipped
      state.withLock { state in
        guard let index = state.active.firstIndex(of: subscription) else { return }
        state.active.remove(at: index)
        state.statistics.skipped += skipped
      }
    }
  }
#endif
