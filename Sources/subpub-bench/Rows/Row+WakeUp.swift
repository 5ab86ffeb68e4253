import Dispatch
import SubPub
import Synchronization

extension Row {
  /// The time from a publish to the callback on an idle queue.
  ///
  /// SubPub and the rival take turns, wake-up by wake-up.
  static let wakeUp: [Row] = [
    Row(
      name: "wake-up of an idle queue, median", unit: .microseconds, rival: "queue.async", bound: .ratio(1.2),
      measure: { try await wake(oursFirst: $0, quantile: 0.5) }),
    Row(
      name: "wake-up of an idle queue, 99%", unit: .microseconds, rival: "queue.async", bound: nil,
      measure: { try await wake(oursFirst: $0, quantile: 0.99) }),
  ]
}

private let wakes = 2_000

@concurrent
private func wake(oursFirst: Bool, quantile: Double) async throws -> Pair {
  let ours = WakeUpListener()
  let publisher = Publisher<[Int]>()
  publisher.subscribe(ours, on: .queue(DispatchQueue(label: "ours")))
  await publisher.drain()
  let rival = WakeUpListener()
  let reference = WeakReference(rival)
  let queue = DispatchQueue(label: "rival")

  _ = await ThreadGroup.run(1) { _ in
    for index in 0..<wakes {
      let value = Payload.ring[index & (Payload.count - 1)]
      for isOurs in [oursFirst, !oursFirst] {
        if isOurs {
          ours.timeWake { publisher.updateData(value) }
        } else {
          rival.timeWake { queue.async { reference.object?.receive(.loaded(value)) } }
        }
      }
    }
  }
  return Pair(ours: try ours.quantile(quantile, of: wakes), rival: try rival.quantile(quantile, of: wakes))
}

/// A subscriber that records when it is called, and wakes a thread that waits for that.
final class WakeUpListener: TypedSubscriber {
  private let listener = Listener()
  private let calledAt = Atomic<UInt64>(0)
  private let wasCalled = DispatchSemaphore(value: 0)
  private let times = Mutex<[UInt64]>([])

  func receive(_ state: LoadState<[Int]>) {
    // The semaphore orders this store before the reader's load.
    calledAt.store(DispatchTime.now().uptimeNanoseconds, ordering: .relaxed)
    listener.receive(state)
    if case .loaded = state { wasCalled.signal() }
  }

  /// Blocks until the wake-up has led to a call, and records how long that took.
  func timeWake(_ wake: () -> Void) {
    let start = DispatchTime.now().uptimeNanoseconds
    wake()
    wasCalled.wait()
    times.withLock { $0.append(calledAt.load(ordering: .relaxed) - start) }
  }

  /// Returns a quantile of the recorded times in microseconds.
  func quantile(_ quantile: Double, of wakes: Int) throws(DeliveryError) -> Double {
    try listener.check(published: wakes)
    let sorted = times.withLock { $0.sorted() }
    return Double(sorted[Int(Double(wakes - 1) * quantile)]) / 1_000
  }
}
