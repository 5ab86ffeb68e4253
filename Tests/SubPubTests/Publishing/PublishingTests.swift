import SubPub
import SubPubTesting
import Testing

@Suite("Every operation of a publisher can be called from any thread", .hangLimit)
enum PublishingTests {
  enum Failure: Error, Equatable { case offline, denied }

  /// A task that runs only when the test runs it, and its result.
  final class Trial<Result: Sendable>: Sendable {
    let executor = ManualExecutor()
    private let ended = Locked<Swift.Result<Result, any Error>?>(nil)
    private let task: Task<Void, Never>

    /// Creates the task, which begins with the first `run()`.
    init(_ body: @escaping @Sendable () async throws -> Result) {
      task = Task(executorPreference: executor) { [ended] in
        let result: Swift.Result<Result, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        ended.withLock { $0 = result }
      }
    }

    /// Runs the task on this thread until it suspends or ends.
    @discardableResult func run() -> Trial {
      executor.runAll()
      return self
    }

    func cancel() { task.cancel() }

    var isOver: Bool { ended.withLock { $0 } != nil }

    /// The value that the task returned, or nil if it hasn't.
    var value: Result? { try? ended.withLock { $0 }?.get() }

    var error: (any Error)? {
      if case .failure(let error)? = ended.withLock({ $0 }) { error } else { nil }
    }
  }

  /// A clock that the test sets, also back; it counts its readings, and calls a closure at each of them.
  final class CountingClock: Clock {
    typealias Duration = Swift.Duration
    struct Broken: Error {}

    private struct State {
      var readings = 0
      var offset = Duration.zero
      var failures: Int
      var listener: (@Sendable () -> Void)?
    }

    let manual = ManualClock()
    /// Whether a sleep lasts until the clock shows a time, rather than for a time.
    private let waitsForTime: Bool
    private let state: Locked<State>

    /// Creates a clock whose first sleeps may fail.
    init(waitsForTime: Bool = true, failures: Int = 0) {
      self.waitsForTime = waitsForTime
      state = Locked(State(failures: failures))
    }

    var readings: Int { state.withLock(\.readings) }

    func jump(by duration: Duration) { state.withLock { $0.offset += duration } }

    func whenRead(_ listener: @escaping @Sendable () -> Void) { state.withLock { $0.listener = listener } }

    var now: ManualClock.Instant {
      let (offset, listener) = state.withLock { state in
        state.readings += 1
        return (state.offset, state.listener)
      }
      listener?()
      return manual.now.advanced(by: offset)
    }

    var minimumResolution: Duration { .zero }

    func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
      let (fails, offset) = state.withLock { state in
        state.failures -= 1
        return (state.failures >= 0, state.offset)
      }
      if fails { throw Broken() }
      try await manual.sleep(until: waitsForTime ? deadline : deadline.advanced(by: .zero - offset))
    }
  }
}
