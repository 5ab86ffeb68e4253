#if Redis
  import SubPub

  /// Reads the streams of one server, for all mirrors of the process that have its endpoint: carries out what its
  /// machine decides.
  ///
  /// All of that happens on one thread, that of the mirrors, on which what is read is decoded and published. Outlets
  /// have a thread of their own, which a slow subscriber doesn't hold up.
  final class StreamReader: Sendable {
    typealias Machine = ReaderMachine<StreamFollower>

    private let client: RedisClient
    private let loop = RedisLoop()
    let contact = LastContact()
    private let inbox = Locked(Inbox())
    private let state: Locked<State>

    /// What other threads want.
    private struct Inbox {
      var added: [Machine.Newcomer] = []
      var removed: [(follower: StreamFollower, key: [UInt8])] = []
      var isNoticed = false
    }

    private struct State {
      var machine: Machine
      var connections: [Int: Connection] = [:]
      /// Whether the thread carries out actions.
      var isActing = false
      /// When the machine is told that its time has come.
      var time: Moment?
    }

    /// Lets the thread check what others want; keeps the reader until then.
    private final class Notice: LoopTimer {
      private let reader: StreamReader

      init(_ reader: StreamReader) { self.reader = reader }

      func fire() { reader.empty() }
    }

    private enum Connection {
      case connecting(Task<Void, Never>)
      case open(RedisChannel)
    }

    init(_ client: RedisClient) {
      self.client = client
      state = Locked(State(machine: Machine(replyTimeout: client.endpoint.replyTimeout, at: .now)))
    }

    /// Tells a follower what comes after its position in the stream.
    func add(_ newcomer: Machine.Newcomer) { notice { $0.added.append(newcomer) } }

    /// Forgets a follower that has ended.
    func remove(_ follower: StreamFollower) { notice { $0.removed.append((follower, follower.key)) } }

    private func notice(_ body: (inout Inbox) -> Void) {
      let isNoticed = inbox.withLock { inbox in
        body(&inbox)
        defer { inbox.isNoticed = true }
        return inbox.isNoticed
      }
      if !isNoticed { loop.set(Notice(self), to: .now) }
    }

    private func empty() {
      let inbox = inbox.withLock { inbox in
        defer { inbox = Inbox() }
        return inbox
      }
      // One that was cancelled at once may have been removed before it was added.
      let added = inbox.added.filter { !$0.follower.hasEnded }
      change { $0.change(adding: added, removing: inbox.removed, at: $1) }
    }

    /// Changes the machine, and does what follows; on the loop's thread.
    private func change(_ body: (inout Machine, Moment) -> Void) {
      let acts = state.withLock { state in
        body(&state.machine, .now)
        defer { state.isActing = true }
        return !state.isActing
      }
      guard acts else { return }
      while true {
        let (actions, isOver) = takeActions()
        if isOver { return }
        for action in actions { act(action) }
      }
    }

    private func takeActions() -> (actions: [Machine.Action], isOver: Bool) {
      state.withLock { state in
        let actions = state.machine.takeActions()
        if !actions.isEmpty { return (actions, false) }
        let next = state.machine.nextTime
        if next != state.time { loop.set(self, to: next) }
        (state.time, state.isActing) = (next, false)
        return ([], true)
      }
    }

    private func act(_ action: Machine.Action) {
      switch action {
      case .pass(let event, let follower): pass(CollectionOfOne(event), to: follower)
      case .passEntries(let entries, let follower): pass(entries.lazy.map { .entry($0) }, to: follower)
      case .end(let follower, let reason): follower.end(reason)
      case .connect(let number):
        // It begins later, on this thread.
        let task = Task(executorPreference: loop) { await self.connect(number) }
        state.withLock { $0.connections[number] = .connecting(task) }
      case .send(let message, let number):
        guard case .open(let channel)? = state.withLock({ $0.connections[number] }) else { return }
        do throws(RedisError.Reason) {
          try channel.send(message.bytes, replies: message.replyCount, within: message.limit)
        } catch { lost(error, channel, over: number) }
      case .close(let number):
        switch state.withLock({ $0.connections.removeValue(forKey: number) }) {
        case .connecting(let task): task.cancel()
        case .open(let channel): channel.connection.close()
        case nil: break
        }
      }
    }

    private func pass(_ events: some Sequence<StreamEvent>, to follower: StreamFollower) {
      if let request = follower.send(events) { change { $0.receive(request, of: follower, to: follower.key, at: $1) } }
    }
  }

  extension StreamReader: LoopTimer {
    func fire() {
      state.withLock { $0.time = nil }
      change { $0.timeHasCome(at: $1) }
    }
  }

  /// The connections.
  extension StreamReader {
    private func connect(_ number: Int) async {
      do throws(RedisError.Reason) {
        let connection = try await client.connect(on: loop)
        let channel = RedisChannel(connection) { [weak self] channel, replies in
          self?.received(replies, channel, over: number)
        }
        let isWanted = state.withLock { state in
          if state.connections[number] == nil { return false }
          state.connections[number] = .open(channel)
          return true
        }
        if isWanted { change { $0.connected(number, at: $1) } } else { connection.close() }
      } catch {
        state.withLock { $0.connections[number] = nil }
        change { $0.cannotConnect(error, number, at: $1) }
      }
    }

    private func received(
      _ replies: Result<[RedisReply], RedisError.Reason>, _ channel: RedisChannel, over number: Int
    ) {
      switch replies {
      case .success(let replies):
        contact.note()
        change { $0.received(replies, over: number, at: $1) }
      case .failure(let reason): lost(reason, channel, over: number)
      }
    }

    private func lost(_ reason: RedisError.Reason, _ channel: RedisChannel, over number: Int) {
      state.withLock { $0.connections[number] = nil }
      let (isClosed, isTooSlow) = (channel.connection.isClosed, channel.connection.isTooSlow)
      change { $0.lost(reason, isClosed: isClosed, isTooSlow: isTooSlow, over: number, at: $1) }
    }
  }
#endif
