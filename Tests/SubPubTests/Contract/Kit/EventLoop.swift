import Dispatch
import SubPub

/// An executor like the event loops of network servers: its thread runs jobs until none is left, and only then looks at
/// its I/O.
final class EventLoop: SerialExecutor, TaskExecutor {
  /// When the loop sees a job that another thread enqueues.
  enum Intake: String, CaseIterable, Codable, Sendable {
    /// When it next looks at its I/O.
    case withEvents
    /// As soon as the job that is running has ended.
    case atOnce
  }

  private struct State {
    var jobs: [UnownedJob] = []
    /// Jobs that arrive with the I/O.
    var arriving: [UnownedJob] = []
    var events: [@Sendable () -> Void] = []
    var thread: ThreadToken?
    var isEnding = false
  }

  private let intake: Intake
  private let state = Locked(State())
  private let somethingArrived = DispatchSemaphore(value: 0)

  /// Starts the loop's thread, which keeps the loop until `end()`.
  init(_ intake: Intake) {
    self.intake = intake
    OwnThread.start { self.run() }
  }

  /// Lets the thread end when nothing is left to do.
  func end() {
    state.withLock { $0.isEnding = true }
    somethingArrived.signal()
  }

  /// Adds an event, such as a request from a network.
  func receive(_ handler: @escaping @Sendable () -> Void) {
    state.withLock { $0.events.append(handler) }
    somethingArrived.signal()
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    state.withLock { state in
      if intake == .atOnce || state.thread == .current { state.jobs.append(job) } else { state.arriving.append(job) }
    }
    somethingArrived.signal()
  }

  func isIsolatingCurrentContext() -> Bool? { state.withLock { $0.thread == .current } }

  func checkIsolated() { precondition(isIsolatingCurrentContext() == true, "this runs outside the event loop") }

  private func run() {
    state.withLock { $0.thread = .current }
    while true {
      while let job = state.withLock({ $0.jobs.isEmpty ? nil : $0.jobs.removeFirst() }) {
        unsafe job.runSynchronously(
          isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
      }
      let (events, isIdle, isEnding) = state.withLock { state in
        defer { (state.arriving, state.events) = ([], []) }
        state.jobs += state.arriving
        return (state.events, state.jobs.isEmpty && state.events.isEmpty, state.isEnding)
      }
      for handle in events { handle() }
      if isIdle {
        if isEnding { return }
        somethingArrived.wait()
      }
    }
  }
}

/// An actor on an event loop.
actor LoopHost {
  nonisolated let loop: EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  init(_ loop: EventLoop) { self.loop = loop }
}
