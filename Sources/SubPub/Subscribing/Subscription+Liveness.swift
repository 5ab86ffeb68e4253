import Dispatch
import Synchronization

// To look at a weak reference is to hold its object for a moment, and perhaps to be the last that does. Objects that
// belong to the main actor needn't be `Sendable`, and must not die elsewhere: one that the library holds on another
// thread is let go of on the main actor.
extension Subscription {
  /// Whether the subscriber and the actor that is its context still live. Not inside a turn: it loads them, and
  /// may be the last to let go.
  @inline(__always)
  package var isAlive: Bool { (isBoundToMainActor ? isAliveOnMainActor : subscriber != nil) && !host.isGone }

  @inline(never)
  private var isAliveOnMainActor: Bool {
    // Held, so it lives.
    if isReleaseDue.load(ordering: .acquiring) { return true }
    guard let object = unsafe retainedSubscriber() else { return false }
    unsafe releaseOnMainActor(object)
    return true
  }

  /// Holds the subscriber while `body` runs; does nothing if it is dead. Not inside a turn.
  func whileSubscriberLives(_ body: () -> Void) {
    guard isBoundToMainActor else {
      if let subscriber { withExtendedLifetime(subscriber, body) }
      return
    }
    guard let object = unsafe retainedSubscriber() else { return }
    body()
    unsafe releaseOnMainActor(object)
  }

  private var isBoundToMainActor: Bool { face.isOnMainActor && !QueueReference.isOnMain }

  /// Retained by hand. Not inlined, so that nothing else holds the object when this has returned.
  @inline(never)
  private func retainedSubscriber() -> Unmanaged<AnyObject>? {
    guard let subscriber else { return nil }
    return unsafe .passRetained(subscriber)
  }

  /// Marks one hand-over at a time, so that a main actor that is busy has few to catch up with, however often others look.
  private func releaseOnMainActor(_ object: Unmanaged<AnyObject>) {
    let isMarked = !isReleaseDue.exchange(true, ordering: .acquiringAndReleasing)
    unsafe MainActorReleases.add(object, marking: isMarked ? self : nil)
  }
}

/// Objects that the main actor is to let go of.
package enum MainActorReleases {
  @safe
  private struct Release {
    let object: Unmanaged<AnyObject>
    /// The subscription that says that this is due.
    let marked: Subscription?
  }

  private static let due = Locked<[Release]>([])

  package static var count: Int { due.withLock(\.count) }

  fileprivate static func add(_ object: Unmanaged<AnyObject>, marking subscription: Subscription?) {
    let release = unsafe Release(object: object, marked: subscription)
    let isFirst = due.withLock { due in
      due.append(release)
      return due.count == 1
    }
    if isFirst { DispatchQueue.main.submit { perform() } }
  }

  private static func perform() {
    let releases = due.withLock { due in
      defer { due = [] }
      return due
    }
    for release in releases {
      // First: whoever finds the mark relies on the object.
      release.marked?.isReleaseDue.store(false, ordering: .releasing)
      unsafe release.object.release()
    }
  }
}
