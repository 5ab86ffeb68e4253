import Dispatch
import SubPub
import Synchronization

/// A broadcaster with one `queue.async` for each publish, which runs the loop.
struct AsyncPerPublish<Listener: Receiver>: Broadcaster {
  private let loop: LockedWeakLoop<Listener>
  private let queue: DispatchQueue

  init(to listeners: [Listener], on queue: DispatchQueue) {
    loop = LockedWeakLoop(to: listeners)
    self.queue = queue
  }

  func publish(_ value: [Int]) {
    queue.async { [loop] in loop.publish(value) }
  }

  func drain() async { await queue.drain() }
}

/// A broadcaster with one `queue.async` for each delivery, as multicast delegates often do it.
final class AsyncPerDelivery<Listener: Receiver>: Broadcaster {
  private let references: Mutex<[WeakReference<Listener>]>
  private let queue: DispatchQueue

  init(to listeners: [Listener], on queue: DispatchQueue) {
    references = Mutex(listeners.map(WeakReference.init))
    self.queue = queue
  }

  func publish(_ value: [Int]) {
    references.withLock { references in
      for reference in references {
        queue.async { reference.object?.receive(.loaded(value)) }
      }
    }
  }

  func drain() async { await queue.drain() }
}

extension DispatchQueue {
  /// Waits until everything that was enqueued has run.
  func drain() async {
    await withCheckedContinuation { continuation in
      async { continuation.resume() }
    }
  }
}
