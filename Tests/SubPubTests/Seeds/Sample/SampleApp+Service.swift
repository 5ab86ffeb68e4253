import SubPub
import SubPubTesting

extension SampleApp {
  /// A stand-in for a remote service that takes its time and refuses one request in five.
  final class Service: Sendable {
    enum Outcome: Hashable { case pending, answered, refused, cancelled }

    struct Request: Hashable {
      /// The publisher's version at the request, which is the version of the `loading` of the load that makes it.
      let version: UInt64
      let ignoresCancellation: Bool
      var outcome = Outcome.pending
      var end: ManualClock.Instant?
    }

    private struct State {
      var random: SeededGenerator
      var requests: [Request] = []
      var login = 1
      var version: UInt64 = 0
    }

    private static let pageCount = 4
    private let clock: ManualClock
    private let executor: ManualExecutor
    private let state: Locked<State>

    init(seed: UInt64, clock: ManualClock, executor: ManualExecutor) {
      self.clock = clock
      self.executor = executor
      state = Locked(State(random: SeededGenerator(seed: seed)))
    }

    var requests: [Request] { state.withLock { $0.requests } }
    var login: Int { state.withLock { $0.login } }

    func beginNextLogin() { state.withLock { $0.login += 1 } }

    func publisherReached(_ version: UInt64) { state.withLock { $0.version = version } }

    func page(_ page: Int) async throws -> (elements: [Item], next: Int?) {
      (try await items(of: page), page + 1 < Self.pageCount ? page + 1 : nil)
    }

    func items(of page: Int = 0) async throws -> [Item] {
      let (number, login, delay, isRefused, ignoresCancellation) = state.withLock { state in
        let delay = Duration.milliseconds(state.random.draw(state.random.chance(10) ? 3_000 : 500))
        let (isRefused, ignoresCancellation) = (state.random.chance(20), state.random.chance(30))
        state.requests.append(Request(version: state.version, ignoresCancellation: ignoresCancellation))
        return (state.requests.count - 1, state.login, delay, isRefused, ignoresCancellation)
      }
      do {
        if ignoresCancellation {
          // It may answer after its load was cancelled.
          await Task.detached(executorPreference: executor) { [clock] in try? await clock.sleep(for: delay) }.value
        } else {
          try await clock.sleep(for: delay)
        }
      } catch {
        end(number, .cancelled)
        throw error
      }
      end(number, isRefused ? .refused : .answered)
      if isRefused { throw Refusal(request: number) }
      return (0..<2).map { _ in Item(login: login, request: number, page: page) }
    }

    private func end(_ number: Int, _ outcome: Outcome) {
      let now = clock.now
      state.withLock { ($0.requests[number].outcome, $0.requests[number].end) = (outcome, now) }
    }
  }
}

extension SeededGenerator {
  /// True in that percentage of calls.
  mutating func chance(_ percent: Int) -> Bool { draw(100) < percent }

  /// A number from 0 up to, but not including, `bound`.
  mutating func draw(_ bound: Int) -> Int { Int(truncatingIfNeeded: next() % UInt64(bound)) }
}
