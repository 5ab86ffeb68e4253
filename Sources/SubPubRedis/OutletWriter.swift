#if Redis
  import Foundation
  import SubPub

  /// One run of an outlet: takes states from the publisher, and writes them to the stream.
  ///
  /// Two tasks share its state. One takes states and writes them; the other makes connections, and looks at the stream
  /// when it may have changed. What one of them does over the connection, it does in a `section` that excludes the
  /// other. Neither of them ever blocks a thread, but the user's code may. It is called in the section, too, but while
  /// nothing is held that other outlets need; only the endpoint's credentials hold up those of the same connection.
  actor OutletWriter<Value: Codable & Sendable> {
    typealias States = PublicationSequence<Value>.Iterator

    let outlet: RedisOutlet<Value>
    /// Values are encoded here, by foreign code, so it isn't the thread of the endpoint.
    let executor = QueueExecutor(label: "SubPub.RedisOutlet")
    /// The connection that this outlet shares with others, and what its check knows of the key.
    private(set) var shared: SharedConnection
    /// Whether a node of a cluster has sent the outlet to another one, which hasn't answered yet.
    var hasMoved = false
    let watch: KeyWatch
    let section = AsyncSemaphore()
    /// What is to be written; nil while the outlet waits for another one's end.
    private(set) var states: States?
    /// Shows an outlet that waits whether its publisher has finished.
    private var idle: StateSequence<Value>.Iterator?
    var encoder: EntryEncoder<Value>
    /// Whether the encoder knows the data that the key had.
    var hasBegun = false
    let progress: OutletProgress
    var entries: OutletEntries { progress.entries }
    /// The connection to write to; nil while there is none.
    var connection: OutletConnection? {
      didSet {
        outlet.counts.noteConnection(connection != nil)
        if connection == nil { watch.noteEnd() }
        if oldValue == nil, connection != nil { outlet.tell { $0.connected($1, isWriting: true) } }
        if oldValue != nil, connection == nil { outlet.tell { $0.disconnected($1) } }
      }
    }
    /// The connection of an outlet that waits for the end of another one.
    var standby: OutletConnection? {
      didSet {
        noteWaiting()
        if oldValue == nil, standby != nil { outlet.tell { $0.connected($1, isWriting: false) } }
      }
    }
    /// The lease of this run; nil if others don't wait for its end.
    var lease: OutletLease?
    /// The connection of an outlet that may have been superseded, while it waits for the other one.
    var doubt: Doubt? { didSet { noteWaiting() } }
    /// How often in a row there was no connection.
    var failures = Failures()
    /// Whether a connection was lost, and not replaced yet.
    var hasLostConnection = false
    /// Whether there was a reason to wait, which may not be seen any more, and the outlet hasn't waited yet.
    var mayBeSuperseded = false
    var certainty: OutletCertainty { watch.certainty }
    /// The outlet's number.
    var epoch: UInt64?
    /// What tells the last start of the server on which the outlet was known not to be superseded.
    var serverStart: String?
    /// The last confirmed entry, if it is missing, and the stream doesn't take it.
    var unrestorable: EntryID?

    /// The version of the last state that was taken from the publisher.
    var taken: UInt64?
    /// The last version to write, after the run was cancelled.
    private(set) var finalVersion: UInt64?
    /// What a cancelled run has to write, which is known before the actor can be told.
    private let rest = Locked<Rest?>(nil)
    /// Whether the writing task has ended.
    var isOver = false
    /// Whether the run ends without writing more.
    private var isStopped = false
    /// Why the run has failed.
    private(set) var failure: (any Error)?
    /// The writing task, while it waits for a connection.
    var writer: CheckedContinuation<Void, Never>?
    /// What this run has added to the statistics.
    private var reportedFailures = 0

    private struct Rest {
      let version: UInt64
      /// How many states there were so far.
      let count: Int
    }

    /// A connection that isn't written to for so long.
    struct Doubt {
      let connection: OutletConnection
      let wait: Duration
      let elapsed: @Sendable () -> Duration

      var rest: Duration { wait.left(after: elapsed()) }
      var hasElapsed: Bool { elapsed() >= wait }
    }

    /// How many entries are read at a time to see which ones have arrived; smaller after a connection was lost
    /// meanwhile.
    var pageSize = 64
    /// Whether the server has refused the last write.
    var wasRefused = false
    /// The large entry with which connections have ended, and how many.
    var suspect: (id: EntryID, count: Int)?

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    init(_ outlet: RedisOutlet<Value>) {
      self.outlet = outlet
      encoder = EntryEncoder(outlet)
      watch = KeyWatch(
        outlet.keys, OutletCertainty(checkInterval: SharedConnection.checkInterval, outlet.endpoint))
      progress = OutletProgress(
        OutletEntries(maxCount: OutletEntries.window(of: outlet.maxLength)), outlet.counts, wake: watch.wake)
      shared = RedisClient.shared(for: outlet.endpoint).connection(for: watch)
      switch outlet.role {
      case .takeOver: states = Self.subscribe(outlet, progress)
      case .standby(let time): lease = OutletLease(time: time)
      }
    }

    private static func subscribe(_ outlet: RedisOutlet<Value>, _ progress: OutletProgress) -> States {
      let room = max(1, outlet.maxLength - OutletEntries.window(of: outlet.maxLength))
      let states = outlet.publisher.publications(buffering: .newest(room)).makeAsyncIterator()
      outlet.counts.begin(states.subscription, progress)
      return states
    }

    /// Starts the tasks.
    private func start() -> (connecting: Task<Void, Never>, writing: Task<Void, Never>) {
      // Neither task is cancelled with the caller's: there may be states to write. Without the preference, each of
      // their waits would end on Swift's pool.
      let connecting = Task(executorPreference: executor) { await self.keepConnected() }
      let writing = Task(executorPreference: executor) { await self.writeStates() }
      return (connecting, writing)
    }

    /// Writes until the task is cancelled and everything is written, or the run has failed.
    ///
    /// A cancel is noted at once, also while the start still waits: what is published later isn't counted (8.07).
    nonisolated func run() async throws {
      let ending = Locked<Task<Void, Never>?>(nil)
      let connecting = await withTaskCancellationHandler {
        let starting = RedisClient.shared(for: outlet.endpoint).starting
        // Also if the caller's task was cancelled meanwhile.
        let started = try? await starting.withPermit { await start() }
        let (connecting, writing) = if let started { started } else { await start() }
        await withTaskCancellationHandler {
          await writing.value
        } onCancel: {
          noteCancel()
          let task = Task(executorPreference: executor) { await self.finish([connecting, writing]) }
          ending.withLock { $0 = task }
        }
        return connecting
      } onCancel: {
        noteCancel()
      }
      ending.withLock { $0 }?.cancel()
      connecting.cancel()
      watch.wake.set()
      await connecting.value
      try await end()
    }
  }

  /// A cluster.
  extension OutletWriter {
    /// Goes on at the node of a cluster that has the key; returns false if the error doesn't say which one, or if that
    /// has just happened.
    func move(after reason: RedisError.Reason?) -> Bool {
      guard !hasMoved, let node = reason?.node(of: outlet.endpoint) else { return false }
      shared.remove(watch)
      shared = RedisClient.shared(for: node).connection(for: watch)
      hasMoved = true
      return true
    }
  }

  /// Standing by.
  extension OutletWriter {
    /// Waits until the outlet has the lease; returns false if its publisher finishes, or the run ends, before that.
    func waitForLease() async -> Bool {
      var states = outlet.publisher.states(buffering: .latest).makeAsyncIterator()
      idle = states
      while self.states == nil, isActive, await states.next() != nil {}
      idle = nil
      if self.states == nil, isActive {
        stop()
        fail(nil)
      }
      return isActive
    }

    /// Begins to take states, because the outlet has the lease.
    func takeStates() {
      guard states == nil else { return }
      states = Self.subscribe(outlet, progress)
      idle?.cancel()
    }

    private func noteWaiting() { outlet.counts.noteWaiting(standby != nil || doubt != nil) }
  }

  /// The end.
  extension OutletWriter {
    /// How many states the publisher has, and this run hasn't taken.
    var pendingCount: Int { states?.statistics.pending ?? 0 }

    /// Whether the run goes on.
    var isActive: Bool { failure == nil && !isStopped }

    /// Ends the run when everything is written that was accepted before the cancel, or after the timeout.
    private func finish(_ tasks: [Task<Void, Never>]) async {
      finishWriting()
      do { try await outlet.clock.sleep(for: outlet.endpoint.replyTimeout) } catch { /* Over, or the clock fails. */  }
      giveUp()
      for task in tasks { task.cancel() }
    }

    /// Ends the run when everything up to a version is written.
    private func finishWriting() {
      guard let version = rest.withLock({ $0?.version }) else { return }
      if lease != nil, epoch == nil {
        // Another one writes, or nobody.
        isStopped = true
        return fail(nil)
      }
      finalVersion = version
      // Then the writing task waits for a state that needn't be written.
      if let taken, taken >= version { endStates() }
    }

    /// Ends the run, which has written everything; what happens to the key from now on is up to the next outlet.
    func stop() { isStopped = true }

    /// Ends the run after its waits were ended.
    func giveUp() {
      guard !isOver, isActive else { return }
      let count = unwrittenCount
      isStopped = true
      if count > 0 { fail(outlet.error(.unwritten(count))) } else { fail(nil) }
    }

    private func end() throws {
      (connection, standby, doubt) = (nil, nil, nil)
      shared.remove(watch)
      endStates()
      outlet.counts.noteEnd(of: progress, failure)
      if let failure { throw failure }
    }

    /// How many of the states that a cancelled run has to write aren't confirmed.
    private var unwrittenCount: Int {
      max(0, (rest.withLock { $0?.count } ?? 0) - progress.finishedCount)
    }

    /// Notes what there is to be written, and nothing that is published after the cancel; only the first call counts.
    private nonisolated func noteCancel() {
      var (version, count): (UInt64, Int)
      var tries = 0
      repeat {
        version = outlet.publisher.current.version
        count = outlet.counts.acceptedCount(of: progress)
        tries += 1
      } while outlet.publisher.current.version != version && tries < 1_000
      rest.withLock { [new = Rest(version: version, count: count)] in $0 = $0 ?? new }
    }

    /// Ends the run, with an error if there is one; only the first one counts.
    func fail(_ error: (any Error)?) {
      if failure == nil { failure = error }
      endStates()
      resumeWriter()
    }

    /// Takes no further states.
    ///
    /// What is pending then wasn't skipped by this run, so it isn't counted.
    private func endStates() {
      idle?.cancel()
      guard let states else { return }
      outlet.counts.end(states.subscription)
      states.cancel()
    }
  }

  /// The statistics.
  extension OutletWriter {
    func report() {
      progress.report()
      let new = encoder.failures - reportedFailures
      reportedFailures += new
      if new > 0 { outlet.counts.update { $0.undecodable += new } }
    }
  }
#endif
