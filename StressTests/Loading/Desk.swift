/// Stands for an endpoint: threads answer what the loader asks, when they please.
final class Desk: Sendable {
  static let pageSize = 2
  static let pages = 6

  private struct State: Sendable {
    var random: SplitMix
    var calls: [LoaderCall] = []
    var waiting: [Waiting] = []
    var login = 0
    /// How many calls there were when it closed.
    var closing: Int?
    /// The publisher's version.
    var version: @Sendable () -> UInt64 = { 0 }
  }

  private struct Waiting: Sendable {
    let number: Int
    let isDeaf: Bool
    /// Never answered: it ends by its cancellation only.
    let isHanging: Bool
    let answer: AsyncStream<Bool>.Continuation
  }

  private let hangs: Bool
  private let state: Guarded<State>
  private let open = Countdown()

  /// Some calls hang, if they may.
  init(_ random: SplitMix, hangs: Bool) {
    self.hangs = hangs
    state = Guarded(State(random: random))
  }

  func watch(_ version: @escaping @Sendable () -> UInt64) { state.with { $0.version = version } }

  /// When all is over. A call that has begun since the closing is answered at once, and wanted by nobody if it hasn't ended yet.
  var calls: [LoaderCall] {
    state.with { state in
      var calls = state.calls
      for index in calls.indices.dropFirst(state.closing ?? calls.count) where calls[index].outcome == .open {
        calls[index].outcome = .cancelled
      }
      return calls
    }
  }

  /// Who is logged in from now on.
  func nextLogin() -> Int {
    state.with { state in
      state.login += 1
      return state.login
    }
  }

  func ask(for page: Int) async throws -> [Ticket] {
    open.expect(1)
    defer { open.arrive() }
    let version = state.with { $0.version }()
    let (number, login, answer) = state.with { state in
      state.calls.append(LoaderCall(page: page, version: version, begin: Stamp.now()))
      return (state.calls.count - 1, state.login, prepare(in: &state))
    }
    let isGood: Bool?
    switch answer {
    case .atOnce(let answer): isGood = answer
    case .later(let answers, isDeaf: false): isGood = await Self.first(of: answers)
    case .later(let answers, isDeaf: true): isGood = await Task.detached { await Self.first(of: answers) }.value
    }
    let outcome: LoaderCall.Outcome =
      switch isGood {
      case true?: .answered
      case false?: .refused
      case nil: .cancelled
      }
    state.with { state in
      state.calls[number].end = Stamp.now()
      state.calls[number].outcome = outcome
    }
    switch outcome {
    case .answered: return (0..<Self.pageSize).map { Ticket(number: number, login: login, page: page, place: $0) }
    case .refused: throw Refusal(number: number)
    case .cancelled, .open: throw CancellationError()
    }
  }

  private enum Answer {
    case atOnce(Bool)
    case later(AsyncStream<Bool>, isDeaf: Bool)
  }

  private func prepare(in state: inout State) -> Answer {
    let draw = state.random.draw(100)
    if state.closing != nil || draw < 30 { return .atOnce(true) }
    if draw < 45 { return .atOnce(false) }
    let (answers, answer) = AsyncStream<Bool>.makeStream()
    let waiting = Waiting(
      number: state.calls.count - 1, isDeaf: draw < 60, isHanging: hangs && draw >= 95, answer: answer)
    state.waiting.append(waiting)
    return .later(answers, isDeaf: waiting.isDeaf)
  }

  private static func first(of answers: AsyncStream<Bool>) async -> Bool? {
    for await answer in answers { return answer }
    return nil
  }

  /// Answers one of the calls, in no particular order.
  func answer(_ random: inout SplitMix) {
    let isGood = random.draw(10) < 7
    let index = random.draw(1_000)
    let chosen: Waiting? = state.with { state in
      let open = state.waiting.indices.filter { !state.waiting[$0].isHanging }
      return open.isEmpty ? nil : state.waiting.remove(at: open[index % open.count])
    }
    chosen?.answer.yield(isGood)
  }

  /// Answers from now on at once. What is asked already is answered, or left to its cancellation; what doesn't hear of it is answered.
  func close(answers: Bool) {
    let waiting = state.with { state in
      state.closing = state.calls.count
      return state.waiting
    }
    for call in waiting where answers || call.isDeaf { call.answer.yield(true) }
  }

  /// False: a call doesn't end.
  func waitUntilEmpty() async -> Bool { await open.wait() }
}
