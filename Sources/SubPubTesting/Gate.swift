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
/// await gate.waitUntilHeld()                     // the delivery is under way now
/// ```
///
/// Call every function from any thread.
public final class Gate: Sendable {
  private struct State {
    var isOpen = false
    var held: [DispatchSemaphore] = []
    var waiters = CountWaiters()
  }

  private let state = Locked(State())

  /// Creates a closed gate.
  public init() {}

  /// Blocks the calling thread until the gate is opened; returns at once if it is open.
  ///
  /// The thread is really blocked, and cancelling a task doesn't release it. So call it only where a blocked thread
  /// does no harm: on a queue or a thread of your own, or in a delivery on `.background`. Swift's own pool has only as
  /// many threads as there are cores: a gate that holds all of them stops the test that should open it.
  public func pass() {
    let semaphore = DispatchSemaphore(value: 0)
    let (isOpen, due) = state.withLock { state -> (Bool, [Waiter]) in
      if state.isOpen { return (true, []) }
      state.held.append(semaphore)
      return (false, state.waiters.reached(state.held.count))
    }
    if isOpen { return }
    due.finishAll()
    semaphore.wait()
  }

  /// Opens the gate for good.
  ///
  /// Releases every held thread, in the order in which they arrived, and lets all later ones pass. Opening an open gate
  /// changes nothing.
  public func open() {
    let (held, due) = state.withLock { state -> ([DispatchSemaphore], [Waiter]) in
      state.isOpen = true
      defer { state.held = [] }
      return (state.held, state.waiters.reached(.max))
    }
    for semaphore in held { semaphore.signal() }
    due.finishAll()
  }

  /// Waits until at least one thread is held, or the gate is open.
  ///
  /// Suspends the task and blocks no thread. Returns early if the task is cancelled.
  public func waitUntilHeld() async { await waitUntilHeld(threads: 1) }

  /// Waits until at least a number of threads are held, or the gate is open.
  ///
  /// Suspends the task and blocks no thread. Returns early if the task is cancelled.
  ///
  /// - Parameter threads: The number of threads.
  public func waitUntilHeld(threads: Int) async {
    _ = await Waiter.wait { waiter in
      state.withLock { state in
        if state.isOpen || state.held.count >= threads { return false }
        state.waiters.add(waiter, goal: threads)
        return true
      }
    } unregister: { waiter in
      state.withLock { $0.waiters.remove(waiter) }
    }
  }

  /// Whether the gate was opened.
  public var isOpen: Bool { state.withLock { $0.isOpen } }

  /// The number of threads that ``pass()`` is blocking now.
  public var held: Int { state.withLock { $0.held.count } }
}

extension Gate: CustomStringConvertible {
  /// Whether the gate is open, and the number of threads that it holds.
  public var description: String {
    let (isOpen, held) = state.withLock { ($0.isOpen, $0.held.count) }
    return isOpen ? "Gate: open" : "Gate: closed, holding \(held) \(held == 1 ? "thread" : "threads")"
  }
}
