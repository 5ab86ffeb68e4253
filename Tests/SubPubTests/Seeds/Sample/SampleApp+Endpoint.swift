import SubPub
import SubPubTesting

extension SampleApp {
  /// Stands for a remote service that takes its time, and refuses one call in five.
  final class Endpoint: Sendable {
    enum Outcome: Hashable { case open, answered, refused, cancelled }

    struct Call: Hashable {
      /// The publisher's version when it began: that of the load's own `loading`, and of no other.
      let version: UInt64
      var outcome = Outcome.open
    }

    private struct State {
      var random: SeededGenerator
      var calls: [Call] = []
      var login = 1
      var version: UInt64 = 0
    }

    private enum Manner { case patient, deaf }

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
      let (ticket, login, delay, isRefused, manner) = state.withLock { state in
        state.calls.append(Call(version: state.version))
        let delay = Duration.milliseconds(state.random.draw(state.random.chance(10) ? 3_000 : 500))
        return (
          state.calls.count - 1, state.login, delay, state.random.chance(20),
          state.random.chance(30) ? Manner.deaf : .patient
        )
      }
      do {
        switch manner {
        case .patient: try await clock.sleep(for: delay)
        // Hears nothing of its cancellation, and comes with an answer that nobody wants any more.
        case .deaf:
          await Task.detached(executorPreference: executor) { [clock] in try? await clock.sleep(for: delay) }.value
        }
      } catch {
        end(ticket, .cancelled)
        throw error
      }
      end(ticket, isRefused ? .refused : .answered)
      if isRefused { throw Refusal(ticket: ticket) }
      return (0..<2).map { _ in Item(login: login, ticket: ticket, page: page) }
    }

    private func end(_ ticket: Int, _ outcome: Outcome) { state.withLock { $0.calls[ticket].outcome = outcome } }
  }
}

extension SeededGenerator {
  /// True so often in a hundred.
  mutating func chance(_ percent: Int) -> Bool { draw(100) < percent }

  /// From 0 up to, not including, `bound`.
  mutating func draw(_ bound: Int) -> Int { Int(truncatingIfNeeded: next() % UInt64(bound)) }
}
