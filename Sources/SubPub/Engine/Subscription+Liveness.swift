import Dispatch
import Synchronization

extension Subscription {
  /// Whether the subscriber is alive, and also the actor if the context is one; see `loss`.
  @inline(__always) var isAlive: Bool { loss == nil }

  /// How the subscription ends because its subscriber, or the actor that is its context, has died; nil if both live.
  ///
  /// Not inside a turn: reading the weak references retains both objects briefly, and that can become the last
  /// reference to them. Main-actor objects needn't be `Sendable` and must not die on another thread, so no other thread
  /// looks at them: there they count as alive until the main actor has looked.
  @inline(__always)
  var loss: SubscriptionEnd? {
    guard isOutOfSight ? countsUntilSeen : subscriber != nil else { return .subscriberReleased }
    return lane.isContextGone ? .contextReleased : nil
  }

  /// Whether only the main actor may look at the subscriber, and this isn't the main actor.
  var isOutOfSight: Bool { interface.isOnMainActor && !QueueReference.isOnMain }

  @inline(never)
  private var countsUntilSeen: Bool {
    lane.registry.sweepOnMainActor()
    return true
  }
}

extension PublisherRegistry {
  /// Has the main actor look for dead subscribers, once, however often other threads ask.
  fileprivate nonisolated func sweepOnMainActor() {
    guard !isMainActorSweepDue.exchange(true, ordering: .relaxed) else { return }
    // Weakly, because the main actor of a server may never run.
    DispatchQueue.main.submit { [weak self] in
      self?.isMainActorSweepDue.store(false, ordering: .relaxed)
      self?.sweep()
    }
  }
}
