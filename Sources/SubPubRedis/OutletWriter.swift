#if Redis
  import Foundation
  import SubPub

  /// One run of an outlet: takes states from the publisher, and writes them to the stream.
  ///
  /// Two tasks share its state. One takes states and writes them; the other makes connections, and looks at the stream
  /// while nothing is written. Between two suspensions, each of them may block the actor's own queue, and nobody else.
  actor OutletWriter<Value: Codable & Sendable> {
    /// How often the stream is looked at while nothing is written.
    private static var checkInterval: Duration { .seconds(1) }

    private let settings: OutletSettings<Value>
    private let executor = QueueExecutor(label: "SubPub.RedisOutlet")
    private let states: PublicationSequence<Value>.Iterator
    private var encoder: EntryEncoder<Value>
    private var connection: RedisConnection?
    private var epoch: UInt64?
    private var entries: OutletEntries

    /// The version of the last state that was taken from the publisher.
    private var taken: UInt64?
    /// The last version to write, after the run was cancelled.
    private var finalVersion: UInt64?
    /// Whether the writing task has ended.
    private var isOver = false
    /// The entry that was refused because the stream has a greater id.
    private var refused: EntryID?
    /// Why the run has failed.
    private var failure: (any Error)?
    /// The writing task, while it waits for a connection.
    private var writer: CheckedContinuation<Void, Never>?
    /// The pause of the connecting task.
    private var pause: Task<Void, any Error>?
    /// What this run has added to the statistics.
    private var reported = (skipped: 0, undecodable: 0)

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    init(_ settings: OutletSettings<Value>) {
      self.settings = settings
      encoder = EntryEncoder(settings)
      // At most half of the states that may be kept wait for the server's replies.
      let window = min(512, max(1, settings.maxLength / 2))
      entries = OutletEntries(maxCount: window)
      let room = max(1, settings.maxLength - window)
      states = settings.publisher.publications(buffering: .newest(room)).makeAsyncIterator()
    }

    /// Writes until the task is cancelled and everything is written, or the run has failed.
    func run() async throws {
      // Neither task is cancelled with the caller's: there may be states to write. Without the preference, each of their
      // waits would end on Swift's pool.
      let connecting = Task(executorPreference: executor) { await self.keepConnected() }
      let writing = Task(executorPreference: executor) { await self.writeStates() }
      let (cancellations, cancelled) = AsyncStream<Void>.makeStream()
      // Not on the actor, which may be waiting for the server.
      let ending = Task.detached { [settings] in
        for await _ in cancellations {
          async let _ = self.finish()
          do { try await settings.clock.sleep(for: settings.endpoint.timeout) } catch { /* The clock fails, or over. */
          }
          await self.giveUp()
        }
      }
      await withTaskCancellationHandler {
        await writing.value
      } onCancel: {
        cancelled.yield()
      }
      ending.cancel()
      connecting.cancel()
      pause?.cancel()
      await connecting.value
      connection = nil
      if let failure { throw failure }
    }
  }

  /// The end.
  extension OutletWriter {
    /// Ends the run when everything that was accepted so far is written.
    private func finish() {
      let version = settings.publisher.current.version
      finalVersion = version
      // Then the writing task waits for a state that needn't be written.
      if let taken, taken >= version { states.end() }
    }

    /// Ends the run after the timeout.
    private func giveUp() {
      guard !isOver else { return }
      fail(settings.error(.unwritten(entries.count + states.statistics.pending)))
    }

    /// Ends the run with an error; only the first one counts.
    private func fail(_ error: any Error) {
      if failure == nil { failure = error }
      states.end()
      resumeWriter()
    }
  }

  /// The writing task.
  extension OutletWriter {
    private func writeStates() async {
      defer { isOver = true }
      guard await isConnected() else { return }
      var states = states  // All copies of an iterator are one.
      while let publication = await states.next() {
        taken = publication.version
        guard let epoch else { return }
        entries.append(encoder.entry(for: publication, epoch: epoch))
        if entries.isChunk || states.statistics.pending == 0 {
          guard await write(waitingForAll: states.statistics.pending == 0) else { return }
        }
        if let finalVersion, publication.version >= finalVersion { break }
      }
      _ = await write(waitingForAll: true)
    }

    /// Sends the entries, and waits until the server has confirmed all of them, or enough.
    private func write(waitingForAll: Bool) async -> Bool {
      while await isConnected(), let connection {
        do {
          try send(over: connection, waitingForAll: waitingForAll)
          return true
        } catch {
          settings.attemptFailed(settings.error(error))
          lose()
        }
      }
      return false
    }

    private func send(over connection: RedisConnection, waitingForAll: Bool) throws(RedisError.Reason) {
      let before = entries.confirmedCount
      defer { report(entries.confirmedCount - before) }
      try connection.send(entries.takeUnsent())
      while waitingForAll ? !entries.isEmpty : entries.isFull { try confirmFirst(connection.reply()) }
      while !entries.isEmpty, let reply = try connection.replyIfPresent() { try confirmFirst(reply) }
    }

    private func confirmFirst(_ reply: RedisReply) throws(RedisError.Reason) {
      if let refusal = reply.refusal {
        let reason = RedisError.Reason.refused(refusal)
        // Somebody has deleted the last entry, but the stream remembers its id.
        guard reason.isTooSmallID, entries.isFirstRepeated else {
          refused = reason.isTooSmallID ? entries.firstID : nil
          throw reason
        }
      }
      entries.confirmFirst()
    }

    /// Waits for a connection; returns false if there won't be one.
    private func isConnected() async -> Bool {
      while connection == nil, failure == nil {
        await withCheckedContinuation { writer = $0 }
      }
      return failure == nil
    }

    private func resumeWriter() {
      writer?.resume()
      writer = nil
    }

    /// Lets the connecting task make a new connection.
    private func lose() {
      connection = nil
      pause?.cancel()
    }
  }

  /// The connecting task.
  extension OutletWriter {
    private func keepConnected() async {
      var failures = 0
      var refusing: (@Sendable () -> Duration)?
      while failure == nil, !Task.isCancelled {
        do {
          if let connection { try check(connection) } else { try connect() }
          (failures, refusing) = (0, nil)
          await rest(for: Self.checkInterval)
        } catch let error as RedisSuperseded {
          fail(error)
        } catch {
          connection = nil
          failures += 1
          let error = settings.error(error as? RedisError.Reason ?? .unreachable("\(error)"))
          refusing = error.reason.refusesToWrite ? refusing ?? settings.clock.stopwatch() : nil
          guard error.reason.isPassing, refusing.map({ $0() < settings.endpoint.timeout }) ?? true,
            let delay = settings.retry.delay(after: failures, error)
          else { return fail(error) }
          settings.attemptFailed(error)
          await rest(for: delay)
        }
      }
    }

    /// Makes a connection, takes over the key if that hasn't happened, and writes what isn't confirmed.
    private func connect() throws {
      let connection = try RedisConnection(to: settings.endpoint)
      if let epoch {
        try compare(with: try connection.lastID(of: settings.key), epoch)
        settings.statistics.withLock { $0.reconnects += 1 }
      } else {
        epoch = try connection.takeOver(settings.key)
      }
      entries.sendAllAgain()
      try send(over: connection, waitingForAll: true)
      self.connection = connection
      resumeWriter()
    }

    /// Finds out whether the connection works, and the stream still exists and has no greater entry.
    ///
    /// Doesn't read the last entry, which may be large.
    private func check(_ connection: RedisConnection) throws {
      guard entries.isEmpty, let epoch else { return }
      let next = EntryID(epoch: epoch, version: (taken ?? 0) + 1)
      let replies = try connection.replies(to: [
        .lastEntry(of: Array(settings.key.utf8), from: "\(next)"), RedisCommand("TYPE", settings.key),
      ])
      guard StreamEntry.entries(try replies[0].get()).isEmpty else { throw superseded }
      guard try replies[1].get().text == "none" else { return }
      entries.repeatLast()
      try send(over: connection, waitingForAll: true)
    }

    /// Compares the last entry of the stream with what was written.
    private func compare(with top: EntryID?, _ epoch: UInt64) throws {
      if let top, top > EntryID(epoch: epoch, version: taken ?? 0) { throw superseded }
      let before = entries.confirmedCount
      entries.compare(with: top)
      report(entries.confirmedCount - before)
      // It wasn't a repetition of an entry that had arrived. So there was a greater one, which somebody has deleted.
      if refused != nil, refused == entries.firstID { throw superseded }
      refused = nil
    }

    private var superseded: RedisSuperseded { RedisSuperseded(endpoint: settings.endpoint, key: settings.key) }

    /// Waits, unless the writing task needs a connection.
    private func rest(for time: Duration) async {
      let pause = Task { [clock = settings.clock] in try await clock.sleep(for: time) }
      self.pause = pause
      do { try await pause.value } catch  where !pause.isCancelled { fail(error) } catch { /* Woken. */  }
    }

    private func report(_ count: Int) {
      let counts = (skipped: states.statistics.skipped, undecodable: encoder.failures)
      defer { reported = counts }
      settings.statistics.withLock {
        $0.entries += count
        $0.skipped += counts.skipped - reported.skipped
        $0.undecodable += counts.undecodable - reported.undecodable
        if let last = entries.lastConfirmed { $0.lastEntry = "\(last.id)" }
      }
    }
  }
#endif
