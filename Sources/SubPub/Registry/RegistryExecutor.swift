import Synchronization

/// Mutual exclusion for one registry, as the executor of its actor.
///
/// Synchronous callers take it with `lock()`, run isolated code and let go: a *turn*. A task that awaits the actor
/// is run on the thread that enqueues it, in a turn of its own.
///
/// Turns are short and contain no foreign code (rule 1.04), so blocking for one costs what blocking for a lock does.
@safe
final class RegistryExecutor: SerialExecutor {
  private let mutex = SystemMutex()
  /// Who has the turn, for isolation checks. A thread compares it only with itself, so it can't be fooled by a
  /// value that is late: relaxed accesses are enough.
  private let owner = Atomic<UInt>(0)

  #if DEBUG
    /// A test's scheduling point: others may have their turn before this thread has. Release builds have none.
    private let beforeTurn: (@Sendable () -> Void)?

    init(beforeTurn: (@Sendable () -> Void)? = nil) { self.beforeTurn = beforeTurn }
  #endif

  @inline(__always) func lock() {
    #if DEBUG
      beforeTurn?()
    #endif
    mutex.lock()
    owner.store(ThreadToken.current.bits, ordering: .relaxed)
  }

  @inline(__always) func unlock() {
    owner.store(0, ordering: .relaxed)
    mutex.unlock()
  }

  func enqueue(_ job: consuming ExecutorJob) {
    // The library itself awaits no registry: a task that does would leave it while the turn is still held, and
    // where it goes next may be foreign. There, on another thread, it may let go of the registry before this one is
    // back, so the executor keeps itself until the turn is over.
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

  private var isHeldHere: Bool { owner.load(ordering: .relaxed) == ThreadToken.current.bits }
}
