import Dispatch
import SubPub
import Synchronization

/// Notes when it is called, and tells a thread that waits for it.
final class Sleeper: TypedSubscriber {
  private let listener = Listener()
  private let calledAt = Atomic<UInt64>(0)
  private let wasCalled = DispatchSemaphore(value: 0)
  private let times = Mutex<[UInt64]>([])

  func receive(_ state: LoadState<[Int]>) {
    // A store that the semaphore orders before the reader's load.
    calledAt.store(DispatchTime.now().uptimeNanoseconds, ordering: .relaxed)
    listener.receive(state)
    if case .loaded = state { wasCalled.signal() }
  }

  /// Blocks until the wake has led to a call, and notes how long it took.
  func timeWake(_ wake: () -> Void) {
    let start = DispatchTime.now().uptimeNanoseconds
    wake()
    wasCalled.wait()
    times.withLock { $0.append(calledAt.load(ordering: .relaxed) - start) }
  }

  /// In microseconds.
  func quantile(_ quantile: Double, of wakes: Int) throws(Shortfall) -> Double {
    try listener.check(published: wakes)
    let sorted = times.withLock { $0.sorted() }
    return Double(sorted[Int(Double(wakes - 1) * quantile)]) / 1_000
  }
}
