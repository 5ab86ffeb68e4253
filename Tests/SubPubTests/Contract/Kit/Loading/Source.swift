import SubPub

/// A loader whose calls the test answers, each on its own.
///
/// One that is stubborn goes on when it is cancelled; any other ends at once, with `CancellationError`.
final class Source<Value: Sendable>: Sendable {
  private struct Call {
    var answer: Result<Value, any Error>?
    var waiting: CheckedContinuation<Void, Never>?
    var isCancelled = false
  }

  private struct State {
    var calls: [Call] = []
    var isClosed = false
  }

  struct Closed: Error {}

  let isStubborn: Bool
  private let state = Locked(State())
  private let called = Event()

  init(isStubborn: Bool = false) { self.isStubborn = isStubborn }

  /// How often it was called.
  var calls: Int { state.withLock { $0.calls.count } }
  /// Which of its calls have been cancelled.
  var cancelled: [Int] { state.withLock { state in state.calls.indices.filter { state.calls[$0].isCancelled } } }

  /// Fails after `Event.limit`.
  func wait(calls: Int, fileID: String = #fileID, line: Int = #line) async throws {
    try await called.wait(count: calls, fileID: fileID, line: line)
  }

  /// The loader.
  func load() async throws -> Value {
    let call = state.withLock { state in
      state.calls.append(Call(answer: state.isClosed ? .failure(Closed()) : nil))
      return state.calls.count - 1
    }
    called.happen()
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isAnswered = state.withLock { state in
          if state.calls[call].answer == nil { state.calls[call].waiting = continuation }
          return state.calls[call].answer != nil
        }
        if isAnswered { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.calls[call].isCancelled = true }
      if !isStubborn { self.answer(call, .failure(CancellationError())) }
    }
    let answer = state.withLock { $0.calls[call].answer.take() }
    guard let answer else { throw Closed() }
    return try answer.get()
  }

  /// Ends a call. The first answer counts.
  func answer(_ call: Int, _ answer: Result<Value, any Error>) {
    let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
      guard state.calls.indices.contains(call), state.calls[call].answer == nil else { return nil }
      state.calls[call].answer = answer
      return state.calls[call].waiting.take()
    }
    waiting?.resume()
  }

  /// Ends every call, and each that comes later at once.
  func close() {
    let open = state.withLock { state in
      state.isClosed = true
      return state.calls.indices.filter { state.calls[$0].answer == nil }
    }
    for call in open { self.answer(call, .failure(Closed())) }
  }
}
