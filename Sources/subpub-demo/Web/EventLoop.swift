import Foundation
import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A thread that waits for sockets, as the executor of an actor.
///
/// Between two looks at the sockets it runs the actor's jobs, so the actor's code and everything that it waits for is
/// on this one thread, and no other thread is ever blocked by a client.
final class EventLoop: SerialExecutor {
  private struct Wait {
    let socket: Int32
    let events: Int16
    let deadline: ContinuousClock.Instant?
    let continuation: CheckedContinuation<Bool, Never>
  }

  private struct State {
    var jobs: [UnownedJob] = []
    var waits: [Wait] = []
    /// Whether the thread is about to look at the sockets, and has to be woken for a new job.
    var isWaiting = false
  }

  /// What the system tells without being asked.
  private static let failures = Int16(POLLERR | POLLHUP | POLLNVAL)

  private let state = Mutex(State())
  /// A pipe that wakes the thread.
  private let wakePipe: (reading: Int32, writing: Int32)

  /// Starts the thread, which runs until the program ends.
  init() throws(SystemError) {
    var ends: [Int32] = [0, 0]
    guard unsafe pipe(&ends) == 0 else { throw .last }
    wakePipe = (ends[0], ends[1])
    for end in ends { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
    Thread.detachNewThread { self.run() }
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    change { $0.jobs.append(job) }
  }

  /// Waits until a socket is ready for something, or has failed; returns false at the deadline, if there is one.
  func wait(for socket: Int32, _ events: Int32, until deadline: ContinuousClock.Instant? = nil) async -> Bool {
    await withCheckedContinuation { continuation in
      change {
        $0.waits.append(
          Wait(socket: socket, events: Int16(events), deadline: deadline, continuation: continuation))
      }
    }
  }

  /// Changes the state, and wakes the thread if it is waiting.
  private func change(_ body: (inout sending State) -> Void) {
    let isWaiting = state.withLock { state in
      body(&state)
      defer { state.isWaiting = false }
      return state.isWaiting
    }
    // A full pipe wakes the thread, too.
    if isWaiting { _ = unsafe write(wakePipe.writing, [UInt8(1)], 1) }
  }

  private func run() {
    while true {
      let jobs = state.withLock { state in
        defer { state.jobs = [] }
        return state.jobs
      }
      for job in jobs { unsafe job.runSynchronously(on: asUnownedSerialExecutor()) }
      if jobs.isEmpty { waitForSockets() }
    }
  }

  /// Waits until a socket is ready, a deadline has passed, or there is a job, and resumes those who wait for that.
  private func waitForSockets() {
    let waits = state.withLock { state -> [Wait]? in
      state.isWaiting = state.jobs.isEmpty
      return state.isWaiting ? state.waits : nil
    }
    guard let waits else { return }
    let first = waits.compactMap(\.deadline).min()
    var sockets = [pollfd(fd: wakePipe.reading, events: Int16(POLLIN), revents: 0)]
    // One place for each socket, even if two tasks wait for it: the system takes no more places than a process may have
    // descriptors.
    var known: [Int32: Int] = [:]
    let places = waits.map { wait in
      let place = known[wait.socket] ?? sockets.count
      if place == sockets.count { sockets.append(pollfd(fd: wait.socket, events: 0, revents: 0)) }
      known[wait.socket] = place
      sockets[place].events |= wait.events
      return place
    }
    let time = first.map { max(.zero, ContinuousClock.now.duration(to: $0)) } ?? .seconds(3_600)
    let milliseconds = Int32(
      clamping: time.components.seconds * 1_000 + time.components.attoseconds / 1_000_000_000_000_000)
    let count = unsafe poll(&sockets, nfds_t(sockets.count), milliseconds + (milliseconds < .max ? 1 : 0))
    // If the system has no memory for that, it may have some later.
    if count < 0, errno != EINTR { usleep(10_000) }
    var bytes: [UInt8] = Array(repeating: 0, count: 64)
    while unsafe read(wakePipe.reading, &bytes, bytes.count) > 0 {}
    let now = ContinuousClock.now
    var ended: [(Wait, Bool)] = []
    state.withLock { state in
      state.isWaiting = false
      // Those that have come meanwhile are behind the others.
      for index in waits.indices.reversed() {
        let wait = waits[index]
        let isReady = sockets[places[index]].revents & (wait.events | Self.failures) != 0
        if isReady || wait.deadline.map({ $0 <= now }) ?? false {
          ended.append((state.waits.remove(at: index), isReady))
        }
      }
    }
    for (wait, isReady) in ended.reversed() { wait.continuation.resume(returning: isReady) }
  }
}
