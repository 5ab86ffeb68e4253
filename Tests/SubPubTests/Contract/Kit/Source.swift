import SubPub
import SubPubTesting

/// A loader whose calls the test answers one by one.
///
/// When it is cancelled, a stubborn one goes on; any other throws `CancellationError` at once.
final class Source<Value: Sendable>: SteppedSource, Sendable {
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

  init(isStubborn: Bool = false) { self.isStubborn = isStubborn }

  /// The number of calls.
  var calls: Int { state.withLock { $0.calls.count } }
  /// The calls that have been cancelled.
  var cancelled: [Int] { state.withLock { state in state.calls.indices.filter { state.calls[$0].isCancelled } } }

  func load() async throws -> Value {
    let call = state.withLock { state in
      state.calls.append(Call(answer: state.isClosed ? .failure(Closed()) : nil))
      return state.calls.count - 1
    }
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
      if !isStubborn { fail(call, CancellationError()) }
    }
    let answer = state.withLock { $0.calls[call].answer.take() }
    guard let answer else { throw Closed() }
    return try answer.get()
  }

  /// Ends a call, unless it has been answered before.
  func answer(_ call: Int, _ answer: Result<Value, any Error>) {
    let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
      guard state.calls.indices.contains(call), state.calls[call].answer == nil else { return nil }
      state.calls[call].answer = answer
      return state.calls[call].waiting.take()
    }
    waiting?.resume()
  }

  func fail(_ call: Int, _ error: any Error) { answer(call, .failure(error)) }

  func close() {
    let open = state.withLock { state in
      state.isClosed = true
      return state.calls.indices.filter { state.calls[$0].answer == nil }
    }
    for call in open { fail(call, Closed()) }
  }
}

/// A loader that returns only when it is cancelled.
final class EndlessLoader: Sendable {
  private let (began, ended) = (Event(), Event())

  func load() async throws -> Int {
    began.happen()
    defer { ended.happen() }
    try await ManualClock().sleep(for: .seconds(1))
    return 0
  }

  /// Returns when every call has ended, if only cancelled calls can still begin.
  func waitUntilNoneRuns(fileID: String = #fileID, line: Int = #line) async throws {
    try await ended.wait(count: began.count, fileID: fileID, line: line)
  }
}
