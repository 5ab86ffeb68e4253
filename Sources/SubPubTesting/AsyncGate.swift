import SubPub

/// A gate that holds tasks until it is opened, and blocks no thread.
///
/// A loader that calls ``pass()`` stays there, so a test can examine what the library does while a load is active.
///
/// ```swift
/// let gate = AsyncGate()
/// let manager = LoadingManager(label: "news") {
///   await gate.pass()
///   return ["It works"]
/// }
/// manager.refreshIfNeeded()
/// try await gate.waitUntilHeld()                 // the loader has been called
/// #expect(manager.publisher.state == .loading(previous: nil))
/// gate.open()
/// #expect(try await manager.value() == ["It works"])
/// ```
///
/// If the load is cancelled, or its time is up, ``pass()`` ends early and the loader goes on behind it.
///
/// To hold a subscriber, which can't wait in this way, use a ``Gate``. You can call every function from any thread.
public final class AsyncGate: Sendable {
  private let state = Locked(GateState<Waiter>())

  /// Creates a closed gate.
  public init() {}

  /// Suspends the task until the gate is opened; returns at once if it is open.
  ///
  /// Returns early if its task is cancelled: by a `timeout:`, by a logout, or when the last caller of the load leaves.
  /// The code behind it then runs although the gate is closed, so a loader may have to write
  /// `try Task.checkCancellation()` next. To simulate a loader that ignores cancellation, write
  /// `await Task { await gate.pass() }.value`.
  public func pass() async {
    _ = await Waiter.wait { waiter in
      let (isOpen, due) = state.withLock { waiter.isOver ? (false, []) : $0.hold(task: waiter) }
      due.finishAll()
      return !isOpen
    } unregister: { waiter in
      state.withLock { $0.letGo(of: waiter) }
    }
  }

  /// Opens the gate for good.
  ///
  /// Resumes every held task, in the order in which they arrived, and lets all later ones pass. Opening an open gate
  /// changes nothing.
  public func open() {
    let (held, due) = state.withLock { $0.open() }
    held.finishAll()
    due.finishAll()
  }

  /// Waits until at least a number of tasks are held, or the gate is open.
  ///
  /// - Parameters:
  ///   - count: The number of tasks.
  ///   - limit: How long to wait, on the continuous clock.
  ///   - fileID: The file that a ``WaitTimeout`` names.
  ///   - line: The line that a ``WaitTimeout`` names.
  /// - Throws: ``WaitTimeout`` at the limit; `CancellationError` if the waiting task is cancelled.
  public func waitUntilHeld(
    _ count: Int = 1, within limit: Duration = .seconds(10), fileID: String = #fileID, line: Int = #line
  ) async throws {
    let text = "a gate that holds \(Expectation.count(count, "task"))"
    try await state.waitUntilHeld(count, "task", Expectation(text, within: limit, fileID: fileID, line: line))
  }

  /// Whether the gate was opened.
  public var isOpen: Bool { state.withLock { $0.isOpen } }

  /// The number of tasks that ``pass()`` is holding now.
  public var held: Int { state.withLock { $0.held.count } }
}

extension AsyncGate: CustomStringConvertible {
  /// Whether the gate is open, and the number of tasks that it holds.
  public var description: String { "AsyncGate: " + state.withLock { $0.description(of: "task") } }
}
