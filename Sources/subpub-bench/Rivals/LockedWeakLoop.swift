import SubPub
import Synchronization

/// A loop over weak references under a lock: the minimum cost of a delivery.
///
/// It guarantees nothing: a listener that accesses the list deadlocks.
final class LockedWeakLoop<Listener: Receiver>: Broadcaster {
  private let references: Mutex<[WeakReference<Listener>]>

  init(to listeners: [Listener]) { references = Mutex(listeners.map(WeakReference.init)) }

  func publish(_ value: [Int]) {
    references.withLock { references in
      for reference in references { reference.object?.receive(.loaded(value)) }
    }
  }

  func drain() async {}
}

/// A weak reference in a final class.
///
/// Copying a reference to it costs a retain, but copying a struct would copy the weak reference.
final class WeakReference<Object: AnyObject & Sendable>: Sendable {
  weak let object: Object?

  init(_ object: Object) { self.object = object }
}
