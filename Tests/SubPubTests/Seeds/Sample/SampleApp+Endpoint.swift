import SubPub
import SubPubTesting

extension SampleApp {
  /// Stands for a remote service that takes its time, and refuses one call in five.
  final class Endpoint: Sendable {
    enum Outcome: Hashable { case open, answered, refused, cancelled }

    struct Call: Hashable {
      /// The publisher's version when it began: that of the load's own `loading`, and of no other.
      let version: UInt64
      /// Hears nothing of its cancellation.
      let isDeaf: Bool
      var outcome = Outcome.open
      var end: ManualClock.Instant?
    }

    private struct State {
      var random: SeededGenerator
      var calls: [Call] = []
      var login = 1
      var version: UInt64 = 0
    }

    private static let pages = 4
    private let clock: ManualClock
    private let executor: ManualExecutor
    private let state: Locked<State>

    init(seed: UInt64, clock: ManualClock, executor: ManualExecutor) {
      self.clock = clock
      self.executor = executor
      state = Locked(State(random: SeededGenerator(seed: seed)))
    }

    var calls: [Call] { state.withLock { $0.calls } }
    var login: Int { state.withLock { $0.login } }

    func nextLogin() { state.withLock { $0.login += 1 } }

    /// The publisher is at that version now.
    func see(_ version: UInt64) { state.withLock { $0.version = version } }

    func page(_ page: Int) async throws -> (elements: [Item], next: Int?) {
      (try await rows(of: page), page + 1 < Self.pages ? page + 1 : nil)
    }

    func rows(of page: Int = 0) async throws -> [Item] {
      let (ticket, login, delay, isRefused, isDeaf) = state.withLock { state in
        let delay = Duration.milliseconds(state.random.draw(state.random.chance(10) ? 3_000 : 500))
        let (isRefused, isDeaf) = (state.random.chance(20), state.random.chance(30))
        state.calls.append(Call(version: state.version, isDeaf: isDeaf))
        return (state.calls.count - 1, state.login, delay, isRefused, isDeaf)
      }
      do {
        if isDeaf {
          // It comes with an answer that nobody wants any more.
          await Task.detached(executorPreference: executor) { [clock] in try? await clock.sleep(for: delay) }.value
        } else {
          try await clock.sleep(for: delay)
        }
      } catch {
        end(ticket, .cancelled)
        throw error
      }
      end(ticket, isRefused ? .refused : .answered)
      if isRefused { throw Refusal(ticket: ticket) }
      return (0..<2).map { _ in Item(login: login, ticket: ticket, page: page) }
    }

    private func end(_ ticket: Int, _ outcome: Outcome) {
      let now = clock.now
      state.withLock { ($0.calls[ticket].outcome, $0.calls[ticket].end) = (outcome, now) }
    }
  }
}

extension SeededGenerator {
  /// True so often in a hundred.
  mutating func chance(_ percent: Int) -> Bool { draw(100) < percent }

  /// From 0 up to, not including, `bound`.
  mutating func draw(_ bound: Int) -> Int { Int(truncatingIfNeeded: next() % UInt64(bound)) }
}
