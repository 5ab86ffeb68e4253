public import SubPub

/// A subscriber that keeps what it receives, and lets a test wait for it.
///
/// ```swift
/// let recorder = Recorder<[News]>()
/// publisher.subscribe(recorder, on: .background)
/// publisher.startLoading()
/// try await recorder.wait { $0.phase == .loading }
/// #expect(recorder.states.map(\.phase) == [.unknown, .loading])
/// ```
///
/// Publishers hold it weakly, like every subscriber: keep it for as long as it should record. It may be subscribed
/// any number of times, and every function may be called from any thread.
public final class Recorder<Value: Sendable>: TypedSubscriber {
  private let record = Locked(Recording<Value>())

  /// A recorder that has received nothing.
  public init() {}

  /// Records a state that came without its publication, as a handler or an explicit protocol gets it: it is among
  /// the `states`, and not among the `publications`.
  public func receive(_ state: LoadState<Value>) {
    record.withLock { $0.append(state) }.ringAll()
  }

  /// Records a publication, and its state. Publishers call this.
  public func receive(_ publication: Publication<Value>) {
    record.withLock { $0.append(publication) }.ringAll()
  }

  /// What was received so far, with versions and sources, in the order in which it came.
  public var publications: [Publication<Value>] { record.withLock { $0.publications } }

  /// The states that were received so far, in the order in which they came.
  public var states: [LoadState<Value>] { record.withLock { $0.states } }

  /// Returns when at least that many states have been recorded; at once if they have.
  ///
  /// Woken by the delivery itself, and not by looking again and again. Throws `RecorderTimeout` when the time is up,
  /// on the continuous clock, and `CancellationError` when the task is cancelled; both leave nothing behind.
  public func wait(
    count: Int, within limit: Duration = .seconds(10), fileID: String = #fileID, line: Int = #line
  ) async throws {
    let text = count == 1 ? "1 state" : "\(count) states"
    try await grow(to: count, for: Expectation(text, within: limit, fileID: fileID, line: line))
  }

  /// Returns when a state that satisfies the predicate has been recorded; at once if one was.
  ///
  /// Each recorded state is tested once, in order, from the first. The predicate runs in the calling task, under no
  /// lock. Woken by the delivery itself, and not by looking again and again. Throws `RecorderTimeout` when the time
  /// is up, on the continuous clock, and `CancellationError` when the task is cancelled; both leave nothing behind.
  public func wait(
    within limit: Duration = .seconds(10), until predicate: @escaping @Sendable (LoadState<Value>) -> Bool,
    fileID: String = #fileID, line: Int = #line
  ) async throws {
    let expectation = Expectation(
      "a state that satisfies the predicate", within: limit, fileID: fileID, line: line)
    var tested = 0
    while true {
      let fresh = record.withLock { $0.states(from: tested) }
      if fresh.contains(where: predicate) { return }
      tested += fresh.count
      // A flood of other states must not outrun the end of the wait.
      try Task.checkCancellation()
      if .now >= expectation.deadline { throw RecorderTimeout(expectation, states: states) }
      try await grow(to: tested + 1, for: expectation)
    }
  }

  private func grow(to count: Int, for expectation: Expectation) async throws {
    let reason = await Bell.wait(until: expectation.deadline) { bell in
      record.withLock { $0.watch(bell, count: count) }
    } takeDown: { bell in
      record.withLock { $0.unwatch(bell) }
    }
    switch reason {
    case .reached: return
    case .cancelled: throw CancellationError()
    case .late: break
    }
    let states = states
    // It came while the time ran out.
    if states.count >= count { return }
    throw RecorderTimeout(expectation, states: states)
  }
}

extension Recorder: CustomStringConvertible {
  /// How much was recorded, and the last state: `Recorder<Int>: 2 recorded, the last: loaded(7)`. Runs the value's
  /// own description.
  public var description: String {
    let (count, last) = record.withLock { ($0.states.count, $0.states.last) }
    return "Recorder<\(Value.self)>: \(count) recorded" + (last.map { ", the last: \($0)" } ?? "")
  }
}
