import Synchronization

/// Mutual exclusion for one registry, as the executor of its actor.
///
/// Synchronous callers take a *turn*: they call `lock()`, run isolated code, and call `unlock()`. A task that awaits
/// the actor runs on the thread that enqueues it, in a turn of its own. Turns are short and contain no foreign code
/// (1.04), so waiting for a turn costs as much as waiting for a lock.
@safe
final class RegistryExecutor: SerialExecutor {
  private let mutex = SystemMutex()
  /// The thread that has the turn, for isolation checks.
  ///
  /// A thread compares it only with itself, so an outdated value can't mislead it, and relaxed accesses are enough.
  private let owner = Atomic<UInt>(0)

  private let point: SchedulingPoint

  init(_ points: SchedulingPoint.Maker) { point = points.makePoint() }

  @inline(__always) func lock() {
    point.reach(.turnBegins)
    mutex.lock()
    owner.store(ThreadToken.current.bits, ordering: .relaxed)
  }

  @inline(__always) func unlock() {
    owner.store(0, ordering: .relaxed)
    mutex.unlock()
    point.reach(.turnEnded)
  }

  func enqueue(_ job: consuming ExecutorJob) {
    // The library never awaits a registry. If a foreign task does, it leaves the actor while the turn is still held,
    // and may then release the registry on another thread, so the executor keeps itself alive until the turn is over.
    let kept = unsafe Unmanaged.passRetained(self)
    lock()
    unsafe job.runSynchronously(on: asUnownedSerialExecutor())
    unlock()
    unsafe kept.release()
  }

  func isIsolatingCurrentContext() -> Bool? { isHeldHere }

  func checkIsolated() {
    guard isHeldHere else {
      stopForMisuse("This code is isolated to a publisher's registry, and runs outside its turns")
    }
  }

  /// The thread that has the turn; only inside a turn, where asking the system would cost more.
  @inline(__always) var holder: ThreadToken { ThreadToken(bits: owner.load(ordering: .relaxed)) }

  private var isHeldHere: Bool { owner.load(ordering: .relaxed) == ThreadToken.current.bits }
}
