#if Redis
  import Foundation
  import SubPub

  /// The thread that waits for the sockets of the outlets of one endpoint, or of its mirrors (8.10).
  ///
  /// Nothing but this thread ever waits for a server, however many outlets or mirrors there are. It is an executor,
  /// too: it runs the jobs of tasks between two waits.
  ///
  /// The thread exists while there are jobs, connections, or times to wait for.
  final class RedisLoop: SerialExecutor, TaskExecutor {
    /// How many times the thread runs jobs that jobs have left behind before it looks at the sockets again.
    private static let mostRounds = 16
    /// How long the thread waits at most while there are connections, so that whoever sends something needn't wake it
    /// for the reply's time limit.
    private static let tick: Duration = .milliseconds(100)

    private let state = Locked(State())

    private struct State {
      var jobs: [UnownedJob] = []
      var connections: [RedisConnection] = []
      var timers = TimerQueue()
      /// Wakes the thread from its wait; nil until there is a thread, and if the process has no descriptor left.
      var pipe: WakePipe?
      var isRunning = false
      /// Whether the thread looks at all of this again before it waits.
      var isAwake = false

      var isIdle: Bool { jobs.isEmpty && connections.isEmpty && timers.isEmpty }
    }

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      change { $0.jobs.append(job) }
    }

    /// Waits for a connection's socket from now on.
    func add(_ connection: RedisConnection) { change { $0.connections.append(connection) } }

    /// Lets a timer fire at that time, and not at a time that was given before; never if it is nil.
    ///
    /// The thread needn't be woken if it looks before that anyway.
    func set(_ timer: any LoopTimer, to time: Moment?) {
      let isFirst = state.withLock { $0.timers.set(timer, to: time) }
      if isFirst { notice() }
    }

    /// Lets the thread look what it has to wait for.
    func notice() { change { _ in } }

    private func change(_ body: (inout State) -> Void) {
      let (starts, pipe) = state.withLock { state -> (Bool, WakePipe?) in
        body(&state)
        defer { (state.isRunning, state.isAwake) = (true, true) }
        return (!state.isRunning, state.isAwake ? nil : state.pipe)
      }
      pipe?.wake()
      if starts { WaitingThread.start(named: "SubPub.Redis") { [self] in run() } }
    }
  }

  /// The thread.
  extension RedisLoop {
    private func run() {
      var buffer = [UInt8](repeating: 0, count: 64 << 10)
      while true {
        for _ in 1...Self.mostRounds where runJobs() == 0 { break }
        guard let waiting = beginWait() else { return }
        let closed = waiting.poll(&buffer)
        if !closed.isEmpty { remove(closed) }
        for timer in dueTimers() { timer.fire() }
      }
    }

    /// Runs the jobs that there are; returns how many.
    private func runJobs() -> Int {
      let jobs = state.withLock { state in
        defer { state.jobs.removeAll() }
        return state.jobs
      }
      for job in jobs {
        unsafe job.runSynchronously(
          isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
      }
      return jobs.count
    }

    /// Returns what to wait for; nil if there is nothing, and the thread ends.
    private func beginWait() -> LoopWait? {
      state.withLock { state in
        if state.isIdle {
          (state.isRunning, state.isAwake, state.timers) = (false, false, TimerQueue())
          return nil
        }
        if state.pipe == nil { state.pipe = try? WakePipe() }
        state.isAwake = !state.jobs.isEmpty
        let now = Moment.now
        let end = state.timers.first ?? now + Self.tick
        let limit =
          state.isAwake ? .zero : min(now.duration(to: end), state.connections.isEmpty ? .seconds(60) : Self.tick)
        return LoopWait(connections: state.connections, pipe: state.pipe, limit: limit) { [self] in
          self.state.withLock { $0.isAwake = true }
        }
      }
    }

    private func remove(_ closed: [RedisConnection]) {
      state.withLock { state in
        state.connections.removeAll { connection in closed.contains { $0 === connection } }
      }
    }

    private func dueTimers() -> [any LoopTimer] {
      state.withLock { state in state.timers.isEmpty ? [] : state.timers.takeDue(at: .now) }
    }
  }

  /// A thread that mostly waits, and so isn't one of Dispatch's, which has only 255.
  package enum WaitingThread {
    package static func start(named name: String, _ body: @escaping @Sendable () -> Void) {
      let thread = Thread {
        Thread.current.name = name
        body()
      }
      thread.start()
    }
  }

  /// One wait of the thread.
  private struct LoopWait {
    /// Without a pipe, nobody can end the wait.
    private static let longestWithoutPipe: Duration = .milliseconds(10)

    let connections: [RedisConnection]
    let pipe: WakePipe?
    let limit: Duration
    let didWait: () -> Void

    /// Waits for the sockets, and lets their connections send and receive; returns those that are over.
    func poll(_ buffer: inout [UInt8]) -> [RedisConnection] {
      var (descriptors, waiting): ([pollfd], [(connection: RedisConnection, deadline: Moment?)]) = ([], [])
      var closed: [RedisConnection] = []
      var (limit, now) = (limit, Moment.now)
      for connection in connections {
        guard let (descriptor, deadline) = connection.interest(at: now) else {
          closed.append(connection)
          continue
        }
        descriptors.append(descriptor)
        waiting.append((connection, deadline))
        if let deadline { limit = min(limit, now.duration(to: deadline)) }
      }
      // Without them, the thread may have nothing to do.
      if !closed.isEmpty { limit = .zero }
      if let pipe { descriptors.append(pollfd(fd: pipe.descriptor, events: Int16(POLLIN), revents: 0)) }
      WakePipe.wait(for: &descriptors, upTo: pipe == nil ? min(limit, Self.longestWithoutPipe) : limit)
      didWait()
      // What arrives later, while this thread is busy with the rest, may be in time.
      now = .now
      if let pipe, descriptors[waiting.count].revents != 0 { pipe.clear() }
      for (each, descriptor) in zip(waiting, descriptors) where descriptor.revents != 0 {
        each.connection.proceed(&buffer)
      }
      for case (let connection, let deadline?) in waiting where deadline <= now { connection.timeHasCome(now) }
      return closed
    }
  }

  /// Something that one task waits for: an event, or a time.
  ///
  /// An event that happens while nobody waits ends the next wait.
  final class Wake: LoopTimer {
    private let state = Locked((isSet: false, waiter: CheckedContinuation<Void, Never>?.none))

    /// Tells that the event has happened, from any thread.
    func set() {
      let waiter = state.withLock { state in
        state.isSet = state.waiter == nil
        return state.waiter.take()
      }
      waiter?.resume()
    }

    func fire() { set() }

    /// Waits for the event, or for a time that the loop measures.
    func wait(until end: Moment, on loop: RedisLoop) async {
      loop.set(self, to: end)
      await wait()
      loop.set(self, to: nil)
    }

    /// Waits for the event.
    func wait() async {
      await withCheckedContinuation { waiter in
        let isSet = state.withLock { state in
          defer { state.isSet = false }
          if !state.isSet { state.waiter = waiter }
          return state.isSet
        }
        if isSet { waiter.resume() }
      }
    }
  }
#endif
