public import SubPub

/// A subscriber that keeps the states that it receives, and lets a test wait for them.
///
/// ```swift
/// let recorder = Recorder<[News]>()
/// publisher.subscribe(recorder, on: .background)
/// publisher.startLoading()
/// try await recorder.wait { $0.phase == .loading }
/// #expect(recorder.states.map(\.phase) == [.unknown, .loading])
/// ```
///
/// Publishers hold it weakly, like every subscriber, so keep it for as long as it should record. It can subscribe to
/// many publishers; a second subscription to the same one needs `ifDuplicate: .allow`. You can call every function from
/// any thread.
public final class Recorder<Value: Sendable>: TypedSubscriber {
  private let recording = Locked(Recording<Value>())
  /// The name that the recorder was created with.
  public let label: String?

  /// Creates an empty recorder.
  ///
  /// - Parameter label: A name for descriptions and errors.
  public init(label: String? = nil) { self.label = label }

  /// Records a state without a publication, as a closure or an explicit protocol receives it.
  ///
  /// It appears in ``states``, but not in ``publications``.
  ///
  /// - Parameter state: The state.
  public func receive(_ state: LoadState<Value>) {
    recording.withLock { $0.append(state) }.finishAll()
  }

  /// Records a publication and its state; publishers call this.
  ///
  /// - Parameter publication: The publication.
  public func receive(_ publication: Publication<Value>) {
    recording.withLock { $0.append(publication) }.finishAll()
  }

  /// The recorded publications, with versions and sources, in the order of their arrival.
  public var publications: [Publication<Value>] { recording.withLock { $0.publications } }

  /// The recorded states, in the order of their arrival.
  public var states: [LoadState<Value>] { recording.withLock { $0.states } }

  /// Waits until at least a number of states have been recorded.
  ///
  /// The delivery itself ends the wait; nothing is polled.
  ///
  /// - Parameters:
  ///   - count: The number of states.
  ///   - limit: How long to wait, on the continuous clock.
  ///   - fileID: The file that a ``RecorderTimeout`` names.
  ///   - line: The line that a ``RecorderTimeout`` names.
  /// - Throws: ``RecorderTimeout`` at the limit; `CancellationError` if the task is cancelled.
  public func wait(
    count: Int, within limit: Duration = .seconds(10), fileID: String = #fileID, line: Int = #line
  ) async throws {
    let text = Expectation.count(count, "state")
    try await grow(to: count, for: Expectation(text, within: limit, fileID: fileID, line: line))
  }

  /// Waits until a state that satisfies the predicate has been recorded.
  ///
  /// Each recorded state is tested once, in order, from the first. The delivery itself ends the wait; nothing is
  /// polled.
  ///
  /// - Parameters:
  ///   - limit: How long to wait, on the continuous clock.
  ///   - predicate: Tests a state. Runs in the calling task, while nothing is locked.
  ///   - fileID: The file that a ``RecorderTimeout`` names.
  ///   - line: The line that a ``RecorderTimeout`` names.
  /// - Throws: ``RecorderTimeout`` at the limit; `CancellationError` if the task is cancelled.
  public func wait(
    within limit: Duration = .seconds(10), until predicate: @escaping @Sendable (LoadState<Value>) -> Bool,
    fileID: String = #fileID, line: Int = #line
  ) async throws {
    let expectation = Expectation(
      "a state that satisfies the predicate", within: limit, fileID: fileID, line: line)
    var tested = 0
    while true {
      let fresh = recording.withLock { $0.states(from: tested) }
      if fresh.contains(where: predicate) { return }
      tested += fresh.count
      // A flood of other states must not outlast the limit.
      try Task.checkCancellation()
      if .now >= expectation.deadline { throw RecorderTimeout(expectation, states: states) }
      try await grow(to: tested + 1, for: expectation)
    }
  }

  private func grow(to count: Int, for expectation: Expectation) async throws {
    try await expectation.wait { waiter in
      recording.withLock { $0.watch(waiter, count: count) }
    } unregister: { waiter in
      recording.withLock { $0.unwatch(waiter) }
    } orThrow: { expectation in
      let states = states
      // The state may have arrived at the deadline.
      return states.count >= count ? nil : RecorderTimeout(expectation, states: states)
    }
  }
}

extension Recorder: CustomStringConvertible {
  /// The label, the number of recorded states, and the last one: `Recorder<Int>: 2 recorded, the last: loaded(7)`.
  public var description: String {
    let (count, last) = recording.withLock { ($0.states.count, $0.states.last) }
    return (label?.onOneLine ?? "Recorder<\(Value.self)>") + ": \(count) recorded"
      + (last.map { ", the last: \($0)" } ?? "")
  }
}

/// The recorded states, and the waiters for more of them.
///
/// Decides only: the caller finishes the waits.
private struct Recording<Value: Sendable> {
  private(set) var states: [LoadState<Value>] = []
  private(set) var publications: [Publication<Value>] = []
  private var waiters = CountWaiters()

  /// Adds a state without a publication, and returns the waiters for it.
  mutating func append(_ state: LoadState<Value>) -> [Waiter] {
    states.append(state)
    return waiters.reached(states.count)
  }

  /// Adds a publication and its state, and returns the waiters for it.
  mutating func append(_ publication: Publication<Value>) -> [Waiter] {
    publications.append(publication)
    return append(publication.state)
  }

  /// Returns a copy of the states from a position on; a slice would make the next `append` copy everything.
  func states(from position: Int) -> [LoadState<Value>] { Array(states[position...]) }

  /// Adds a waiter for a number of states; returns false if there are already as many.
  mutating func watch(_ waiter: Waiter, count: Int) -> Bool {
    if states.count >= count { return false }
    waiters.add(waiter, goal: count)
    return true
  }

  /// Removes a waiter if it is present.
  mutating func unwatch(_ waiter: Waiter) { waiters.remove(waiter) }
}
