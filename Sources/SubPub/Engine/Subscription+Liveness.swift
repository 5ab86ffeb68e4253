import Dispatch
import Synchronization

// Loading a weak reference holds its object for a moment, and may turn out to be its last reference. Main-actor objects
// needn't be `Sendable` and must not die on another thread, so if the library holds one elsewhere, it releases the
// object on the main actor.

extension Subscription {
  /// Whether the subscriber is alive, and also the actor if the context is one.
  ///
  /// Not inside a turn: it loads both, and may be the last to release them.
  @inline(__always)
  var isAlive: Bool { (isBoundToMainActor ? isAliveOnMainActor : subscriber != nil) && !lane.isContextGone }

  @inline(never)
  private var isAliveOnMainActor: Bool {
    // The library holds it, so it is alive.
    if isReleaseDue.load(ordering: .acquiring) { return true }
    guard let object = unsafe retainedSubscriber() else { return false }
    unsafe releaseOnMainActor(object)
    return true
  }

  /// Runs `body` while holding the subscriber, unless that is dead; not inside a turn.
  func whileSubscriberLives(_ body: () -> Void) {
    guard isBoundToMainActor else {
      if let subscriber { withExtendedLifetime(subscriber, body) }
      return
    }
    guard let object = unsafe retainedSubscriber() else { return }
    body()
    unsafe releaseOnMainActor(object)
  }

  private var isBoundToMainActor: Bool { interface.isOnMainActor && !QueueReference.isOnMain }

  /// The subscriber, retained by hand.
  ///
  /// Not inlined, so that nothing else holds the object when this function returns.
  @inline(never)
  private func retainedSubscriber() -> Unmanaged<AnyObject>? {
    guard let subscriber else { return nil }
    return unsafe .passRetained(subscriber)
  }

  /// Has the main actor release the object.
  ///
  /// The mark is set for one release at a time, so that a busy main actor has few releases to catch up on, however
  /// often other threads look.
  private func releaseOnMainActor(_ object: Unmanaged<AnyObject>) {
    let isMarked = !isReleaseDue.exchange(true, ordering: .acquiringAndReleasing)
    unsafe MainActorReleases.add(object, marking: isMarked ? self : nil)
  }
}

/// Objects that the main actor has to release.
package enum MainActorReleases {
  @safe
  private struct Release {
    let object: Unmanaged<AnyObject>
    /// The subscription that is marked with a due release, if this release is the one.
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
      // First, because a thread that finds the mark relies on the object being alive.
      release.marked?.isReleaseDue.store(false, ordering: .releasing)
      unsafe release.object.release()
    }
  }
}
