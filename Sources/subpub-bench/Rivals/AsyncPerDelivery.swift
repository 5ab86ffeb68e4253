import Dispatch
import SubPub
import Synchronization

/// One `queue.async` for each delivery, as multicast delegates on Dispatch do it.
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

  func settle() async { await queue.settle() }
}
