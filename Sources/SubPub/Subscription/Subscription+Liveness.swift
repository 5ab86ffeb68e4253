import Dispatch
import Synchronization

// Loading a weak reference holds its object for a moment, and may be the last to release it. Objects that belong to the
// main actor needn't be `Sendable`, and must not die elsewhere: if the library holds one on another thread, it is released
// on the main actor.

extension Subscription {
  /// Whether the subscriber and the actor that is its context are alive. Not inside a turn: loads them, and may be the last
  /// to release them.
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

  /// Holds the subscriber while `body` runs. Does nothing if it is dead. Not inside a turn.
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

  /// Retained by hand. Not inlined, so that nothing else holds the object when this returns.
  @inline(never)
  private func retainedSubscriber() -> Unmanaged<AnyObject>? {
    guard let subscriber else { return nil }
    return unsafe .passRetained(subscriber)
  }

  /// Marks one release at a time, so that a busy main actor has few of them to catch up with, however often others look.
  private func releaseOnMainActor(_ object: Unmanaged<AnyObject>) {
    let isMarked = !isReleaseDue.exchange(true, ordering: .acquiringAndReleasing)
    unsafe MainActorReleases.add(object, marking: isMarked ? self : nil)
  }
}

/// Objects that the main actor is to release.
package enum MainActorReleases {
  @safe
  private struct Release {
    let object: Unmanaged<AnyObject>
    /// The subscription with the mark that a release is due.
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
      // First: a thread that finds the mark relies on the object.
      release.marked?.isReleaseDue.store(false, ordering: .releasing)
      unsafe release.object.release()
    }
  }
}
