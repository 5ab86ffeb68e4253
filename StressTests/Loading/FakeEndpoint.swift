/// Stands in for an endpoint: threads answer the loader's calls at any time, in any order.
final class FakeEndpoint: Sendable {
  static let pageSize = 2
  static let pages = 6

  private struct State: Sendable {
    var random: SeededGenerator
    var calls: [LoaderCall] = []
    var waiting: [Waiting] = []
    var login = 0
    /// How many calls there were when the endpoint closed.
    var closing: Int?
    /// The publisher's version.
    var version: @Sendable () -> UInt64 = { 0 }
  }

  private struct Waiting: Sendable {
    /// Ignores its cancellation.
    let isStubborn: Bool
    /// Is never answered, and only ends when it is cancelled.
    let isHanging: Bool
    let answers = AsyncStream<Bool>.makeStream()

    var first: Bool? {
      get async {
        for await answer in answers.stream { return answer }
        return nil
      }
    }
  }

  private enum Answer {
    case atOnce(Bool)
    case later(Waiting)
  }

  private let hangs: Bool
  private let state: Guarded<State>
  private let open = Countdown()

  /// With `hangs`, some calls are never answered.
  init(_ random: SeededGenerator, hangs: Bool) { (self.hangs, state) = (hangs, Guarded(State(random: random))) }

  func watch(_ version: @escaping @Sendable () -> UInt64) { state.with { $0.version = version } }

  /// All calls, to be read at the end.
  ///
  /// A call that began after the closing is answered at once; if it is still open, nothing waits for it.
  var calls: [LoaderCall] {
    state.with { state in
      var calls = state.calls
      for index in calls.indices.dropFirst(state.closing ?? calls.count) where calls[index].outcome == .open {
        calls[index].outcome = .cancelled
      }
      return calls
    }
  }

  /// Begins the next login.
  func nextLogin() -> Int {
    state.with { state in
      state.login += 1
      return state.login
    }
  }

  func load(_ page: Int) async throws -> [LoadedItem] {
    open.expect(1)
    defer { open.arrive() }
    let version = state.with { $0.version }()
    let (number, login, answer) = state.with { state in
      state.calls.append(LoaderCall(page: page, version: version, begin: Stamp.now()))
      return (state.calls.count - 1, state.login, prepare(in: &state))
    }
    let isGood: Bool? =
      switch answer {
      case .atOnce(let answer): answer
      case .later(let waiting) where waiting.isStubborn: await Task.detached { await waiting.first }.value
      case .later(let waiting): await waiting.first
      }
    state.with { state in
      state.calls[number].end = Stamp.now()
      state.calls[number].outcome = isGood.map { $0 ? LoaderCall.Outcome.answered : .failed } ?? .cancelled
    }
    guard let isGood else { throw CancellationError() }
    guard isGood else { throw LoadFailure(number: number) }
    return (0..<Self.pageSize).map { LoadedItem(number: number, login: login, page: page, place: $0) }
  }

  private func prepare(in state: inout State) -> Answer {
    let draw = state.random.draw(100)
    if state.closing != nil || draw < 30 { return .atOnce(true) }
    if draw < 45 { return .atOnce(false) }
    let waiting = Waiting(isStubborn: draw < 60, isHanging: hangs && draw >= 95)
    state.waiting.append(waiting)
    return .later(waiting)
  }

  /// Answers any one of the calls.
  func answer(_ random: inout SeededGenerator) {
    let (isGood, index) = (random.draw(10) < 7, random.draw(1_000))
    let chosen: Waiting? = state.with { state in
      let open = state.waiting.indices.filter { !state.waiting[$0].isHanging }
      return open.isEmpty ? nil : state.waiting.remove(at: open[index % open.count])
    }
    chosen?.answers.continuation.yield(isGood)
  }

  /// Answers all later calls at once.
  ///
  /// - Parameter answers: Whether earlier calls are answered, too; otherwise only those that ignore a cancellation.
  func close(answers: Bool) {
    let waiting = state.with { state in
      state.closing = state.calls.count
      return state.waiting
    }
    for call in waiting where answers || call.isStubborn { call.answers.continuation.yield(true) }
  }

  /// Returns when no call is open; after a while, gives up.
  func waitUntilEmpty() async { _ = await open.wait() }
}

/// The error of a loader.
struct LoadFailure: Error, Hashable {
  /// The number of the call.
  let number: Int
}
