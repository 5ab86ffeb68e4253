import SubPub
import Synchronization

/// A loop over weak references in final classes, under a lock: the least that a delivery can cost. It promises nothing: a
/// listener that looks at the list waits for itself.
final class LockedWeakLoop<Listener: Receiver>: Broadcaster {
  private let references: Mutex<[WeakReference<Listener>]>

  init(to listeners: [Listener]) { references = Mutex(listeners.map(WeakReference.init)) }

  func publish(_ value: [Int]) {
    references.withLock { references in
      for reference in references { reference.object?.receive(.loaded(value)) }
    }
  }

  func settle() async {}
}
