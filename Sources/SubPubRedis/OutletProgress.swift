#if Redis
  import SubPub

  /// How far an outlet is: the entries that the server hasn't confirmed.
  ///
  /// The outlet adds and sends them. The thread that receives the replies notes these here, and wakes the outlet only
  /// if it waits for them, or the server has refused something.
  final class OutletProgress: Sendable {
    /// What the writing outlet waits for.
    enum Goal { case everything, room }

    private struct State {
      var entries: OutletEntries
      /// The number of the connection whose replies count.
      var connection = 0
      var goal: Goal?
      /// When a state was taken from the publisher that isn't an entry yet.
      var taken: ContinuousClock.Instant?
      /// How many states were taken that need no entry.
      var needless = 0
      /// What this run has added to the statistics.
      var reported = (entries: 0, skipped: 0)

      /// How many states were taken and aren't confirmed, and when the first of them was taken.
      var unconfirmed: (count: Int, since: ContinuousClock.Instant?) {
        (entries.count + (taken == nil ? 0 : 1), entries.firstEntry?.taken ?? taken)
      }

      func isReached(_ goal: Goal) -> Bool {
        !entries.areUnderWay || goal == .room && !entries.isFull && entries.refusal == nil
      }

      /// Whether to end the outlet's wait.
      ///
      /// One that waits for room gets more than it needs, so that it isn't woken for each entry.
      func endsWait(for goal: Goal) -> Bool {
        isReached(goal) && (goal == .everything || entries.isHalfEmpty || !entries.areUnderWay)
      }
    }

    private let state: Locked<State>
    private let counts: OutletCounts
    /// Ends the wait of the outlet.
    let changed = Wake()
    /// Wakes the connecting task.
    private let wake: Wake

    init(_ entries: OutletEntries, _ counts: OutletCounts, wake: Wake) {
      (state, self.counts, self.wake) = (Locked(State(entries: entries)), counts, wake)
    }

    var entries: OutletEntries { state.withLock(\.entries) }

    /// Changes the entries, while no reply is under way.
    func change(_ body: (inout OutletEntries) -> Void) { state.withLock { body(&$0.entries) } }

    /// Notes that a state was taken from the publisher, and is to become an entry.
    func noteTaken() { state.withLock { $0.taken = .now } }

    /// Adds the entry for the state that was taken, if it needs one; returns whether there is enough to be sent at
    /// once.
    func append(_ entry: OutletEntry?) -> Bool {
      state.withLock { state in
        if var entry {
          entry.taken = state.taken
          state.entries.append(entry)
        } else {
          state.needless += 1
        }
        state.taken = nil
        return state.entries.isChunk
      }
    }

    /// How many states were taken and aren't confirmed, and when the first of them was taken.
    var unconfirmed: (count: Int, since: ContinuousClock.Instant?) { state.withLock(\.unconfirmed) }

    /// How many of the states that were taken are confirmed, or needn't be written any more.
    var finishedCount: Int { state.withLock { $0.entries.confirmedCount + $0.entries.skippedCount + $0.needless } }

    /// Notes that a state was taken, and isn't to be written.
    func noteNeedless() { state.withLock { $0.needless += 1 } }

    var refusal: OutletEntries.Refusal? { state.withLock(\.entries.refusal) }
    var areUnderWay: Bool { state.withLock(\.entries.areUnderWay) }

    /// Lets only the replies to what is sent from now on count; returns the number of the connection.
    func beginConnection() -> Int {
      state.withLock { state in
        state.connection += 1
        return state.connection
      }
    }

    /// Returns the commands that are to be sent, and how many; none after a refusal, because more would be refused,
    /// too.
    func takeUnsent(_ beginning: RedisCommand) -> (bytes: [UInt8], count: Int) {
      state.withLock { $0.entries.refusal == nil ? $0.entries.takeUnsent(beginning) : ([], 0) }
    }

    /// Notes replies to entries, in their order; called by the thread that receives them.
    func note(_ replies: [RedisReply], over connection: Int) {
      let (isReached, isRefused) = state.withLock { state -> (Bool, Bool) in
        guard state.connection == connection else { return (false, false) }
        for reply in replies { state.entries.note(reply) }
        report(&state)
        let isReached = state.goal.map(state.endsWait) ?? false
        if isReached { state.goal = nil }
        return (isReached, state.entries.refusal != nil && !state.entries.areUnderWay)
      }
      if isReached { changed.set() } else if isRefused { wake.set() }
    }

    /// Waits for replies; throws if the connection is lost, or the task is cancelled.
    func wait(for goal: Goal, over channel: RedisChannel) async throws(RedisError.Reason) {
      while true {
        let isReached = state.withLock { state in
          state.goal = state.isReached(goal) ? nil : goal
          return state.goal == nil
        }
        if isReached { return }
        if let failure = channel.failure { throw failure }
        if Task.isCancelled { throw RedisChannel.interrupted }
        await withTaskCancellationHandler {
          await changed.wait()
        } onCancel: {
          changed.set()
        }
      }
    }

    /// Adds what has been confirmed and skipped to the statistics.
    ///
    /// All of that under the lock, so that whoever sees that something is confirmed finds it counted.
    func report() { state.withLock { report(&$0) } }

    private func report(_ state: inout State) {
      let total = (entries: state.entries.confirmedCount, skipped: state.entries.skippedCount)
      defer { state.reported = total }
      let new = (entries: total.entries - state.reported.entries, skipped: total.skipped - state.reported.skipped)
      counts.noteProgress(new, state.entries.lastConfirmed?.id)
    }
  }
#endif
