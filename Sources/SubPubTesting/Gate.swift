import Dispatch
import SubPub

/// A gate that holds threads until it is opened.
///
/// A subscriber that calls ``pass()`` inside `receive` stays there, so a test can examine what the library does in the
/// meantime.
///
/// ```swift
/// let gate = Gate()
/// defer { gate.open() }                          // a test that fails early leaves no thread behind
/// publisher.subscribe(log, on: .background) { log, state in
///   gate.pass()
///   log.write(state)
/// }
/// try await gate.waitUntilHeld()                 // the delivery is under way now
/// ```
///
/// You can call every function from any thread.
public final class Gate: Sendable {
  private let state = Locked(GateState<DispatchSemaphore>())

  /// Creates a closed gate.
  public init() {}

  /// Blocks the calling thread until the gate is opened; returns at once if it is open.
  ///
  /// The thread is really blocked, and cancelling a task doesn't release it. So call it only where a blocked thread
  /// does no harm: on a queue or a thread of your own, or in a delivery on `.background`. Swift's own pool has only as
  /// many threads as there are cores: a gate that holds all of them stops the test that should open it.
  public func pass() {
    let semaphore = DispatchSemaphore(value: 0)
    let (isOpen, due) = state.withLock { $0.hold(semaphore) }
    if isOpen { return }
    due.finishAll()
    semaphore.wait()
  }

  /// Opens the gate for good.
  ///
  /// Releases every held thread, in the order in which they arrived, and lets all later ones pass. Opening an open gate
  /// changes nothing.
  public func open() {
    let (held, due) = state.withLock { $0.open() }
    for semaphore in held { semaphore.signal() }
    due.finishAll()
  }

  /// Waits until at least a number of threads are held, or the gate is open.
  ///
  /// Suspends the task and blocks no thread.
  ///
  /// - Parameters:
  ///   - count: The number of threads.
  ///   - limit: How long to wait, on the continuous clock.
  ///   - fileID: The file that a ``WaitTimeout`` names.
  ///   - line: The line that a ``WaitTimeout`` names.
  /// - Throws: ``WaitTimeout`` at the limit; `CancellationError` if the task is cancelled.
  public func waitUntilHeld(
    _ count: Int = 1, within limit: Duration = .seconds(10), fileID: String = #fileID, line: Int = #line
  ) async throws {
    let text = "a gate that holds \(Expectation.count(count, "thread"))"
    try await state.waitUntilHeld(
      count, "thread", Expectation(text, within: limit, fileID: fileID, line: line))
  }

  /// Whether the gate was opened.
  public var isOpen: Bool { state.withLock { $0.isOpen } }

  /// The number of threads that ``pass()`` is blocking now.
  public var held: Int { state.withLock { $0.held.count } }
}

extension Gate: CustomStringConvertible {
  /// Whether the gate is open, and the number of threads that it holds.
  public var description: String {
    "Gate: " + state.withLock { $0.description(of: "thread") }
  }
}

/// What a gate holds, and what waits until it holds enough.
///
/// Decides only: the gate releases what it held, and finishes the waiters.
struct GateState<Held> {
  private(set) var isOpen = false
  private(set) var held: [Held] = []
  private var waiters = CountWaiters()

  /// Holds a thread or a task, unless the gate is open.
  mutating func hold(_ one: Held, at place: Int? = nil) -> (isOpen: Bool, due: [Waiter]) {
    if isOpen { return (true, []) }
    held.insert(one, at: place ?? held.count)
    return (false, waiters.reached(held.count))
  }

  mutating func open() -> (held: [Held], due: [Waiter]) {
    isOpen = true
    defer { held = [] }
    return (held, waiters.reached(.max))
  }

  /// Whether that many are held, or the gate is open.
  func isHeld(_ goal: Int) -> Bool { isOpen || held.count >= goal }

  /// Adds a waiter, unless that many are held or the gate is open.
  mutating func add(_ waiter: Waiter, goal: Int) -> Bool {
    if isHeld(goal) { return false }
    waiters.add(waiter, goal: goal)
    return true
  }

  mutating func remove(_ waiter: Waiter) { waiters.remove(waiter) }

  func description(of held: String) -> String {
    isOpen ? "open" : "closed, holding \(Expectation.count(self.held.count, held))"
  }
}

extension Locked {
  /// Waits until a gate holds that many, or is open.
  func waitUntilHeld<Held>(_ count: Int, _ noun: String, _ expectation: Expectation) async throws
  where State == GateState<Held> {
    try await expectation.wait { waiter in
      withLock { $0.add(waiter, goal: count) }
    } unregister: { waiter in
      withLock { $0.remove(waiter) }
    } orThrow: { expectation in
      withLock { state in
        state.isHeld(count) ? nil : WaitTimeout(expectation, "the gate is \(state.description(of: noun))")
      }
    }
  }
}

extension GateState where Held == Waiter {
  /// Holds a task in the order of the waiters' numbers, so that it is found again.
  mutating func hold(task waiter: Waiter) -> (isOpen: Bool, due: [Waiter]) { hold(waiter, at: place(of: waiter)) }

  /// Stops holding a task that was cancelled.
  mutating func letGo(of waiter: Waiter) {
    let place = place(of: waiter)
    if place < held.count, held[place] === waiter { held.remove(at: place) }
  }

  private func place(of waiter: Waiter) -> Int { held.lowerBound { $0.number < waiter.number } }
}
