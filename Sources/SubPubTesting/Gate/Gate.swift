import Dispatch
import SubPub

/// Holds threads until it is opened: a subscriber that calls `pass()` inside `receive` stays there, so that a test
/// can look at what the library does meanwhile.
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
/// Every function may be called from any thread.
public final class Gate: Sendable {
  private struct State {
    var isOpen = false
    var held: [DispatchSemaphore] = []
    var watchers = Watchers()
  }

  private let state = Locked(State())

  /// A closed gate.
  public init() {}

  /// Blocks the calling thread until the gate is opened; returns at once if it is open.
  ///
  /// The thread is really blocked, and cancelling a task doesn't free it. So call it where a blocked thread does no
  /// harm: on a queue or a thread of your own, or in a delivery on `.background`. Swift's own pool has only as many
  /// threads as there are cores: a gate that holds all of them stops the test that should open it.
  public func pass() {
    let semaphore = DispatchSemaphore(value: 0)
    let (isOpen, due) = state.withLock { state -> (Bool, [Bell]) in
      if state.isOpen { return (true, []) }
      state.held.append(semaphore)
      return (false, state.watchers.reached(state.held.count))
    }
    if isOpen { return }
    due.ringAll()
    semaphore.wait()
  }

  /// Lets every thread that is held go on, in the order in which they came, and lets all later ones pass.
  ///
  /// A gate stays open; to open it again changes nothing.
  public func open() {
    let (held, due) = state.withLock { state -> ([DispatchSemaphore], [Bell]) in
      state.isOpen = true
      defer { state.held = [] }
      return (state.held, state.watchers.reached(.max))
    }
    for semaphore in held { semaphore.signal() }
    due.ringAll()
  }

  /// Returns when at least one thread is held; at once if one is, or if the gate is open.
  ///
  /// Suspends the task and blocks no thread. Returns early when the task is cancelled.
  public func waitUntilHeld() async { await waitUntilHeld(threads: 1) }

  /// Returns when at least that many threads are held; at once if they are, or if the gate is open.
  ///
  /// Suspends the task and blocks no thread. Returns early when the task is cancelled.
  public func waitUntilHeld(threads: Int) async {
    _ = await Bell.wait { bell in
      state.withLock { state in
        if state.isOpen || state.held.count >= threads { return false }
        state.watchers.add(bell, goal: threads)
        return true
      }
    } takeDown: { bell in
      state.withLock { $0.watchers.remove(bell) }
    }
  }

  /// Whether `open()` was called.
  public var isOpen: Bool { state.withLock { $0.isOpen } }

  /// How many threads are inside `pass()` at this moment.
  public var held: Int { state.withLock { $0.held.count } }
}

extension Gate: CustomStringConvertible {
  /// Whether it is open, and how many threads it holds.
  public var description: String {
    let (isOpen, held) = state.withLock { ($0.isOpen, $0.held.count) }
    return isOpen ? "Gate: open" : "Gate: closed, holding \(held) \(held == 1 ? "thread" : "threads")"
  }
}
