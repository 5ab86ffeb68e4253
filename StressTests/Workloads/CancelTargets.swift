import Dispatch
import SubPub
import SubPubTesting
import Support
import Synchronization

/// All targets of a round, of which any thread may draw any.
final class CancelTargets: Sendable {
  private let all = Guarded<[CancelTarget]>([])
  private let kept = Guarded<[LiveSubscriber]>([])

  func add(_ target: CancelTarget) { all.with { $0.append(target) } }

  /// Keeps a subscriber that isn't drawn.
  func keep(_ subscriber: LiveSubscriber) { kept.with { $0.append(subscriber) } }

  /// Draws mostly from the newest.
  func draw(_ random: inout SeededGenerator) -> CancelTarget? {
    let (far, near) = (random.draw(4) == 0, random.next())
    return all.with { all in
      guard !all.isEmpty else { return nil }
      let window = far ? all.count : min(all.count, 8)
      return all[all.count - 1 - Int(near % UInt64(window))]
    }
  }

  var subscriptions: [RecordedSubscription] {
    all.with { $0.map(\.target.subscription) } + kept.with { $0.map(\.subscription) }
  }
}

/// A subscription for threads to cancel.
final class CancelTarget: Sendable {
  let target: LiveSubscriber
  private let meeting: Meeting

  /// Makes a delivery and a cancel meet.
  private final class Meeting: Sendable {
    /// Empty during the first replay, and weak because the subscription's log holds the callback, which holds this.
    private let known = Guarded(Known())

    private struct Known: Sendable { weak var subscription: RecordedSubscription? }
    // Relaxed: they order nothing.
    private let isAwaited = Atomic<Bool>(false)
    private let isInFlight = Atomic<Bool>(false)
    private static let patience: UInt64 = 50_000

    func set(_ new: RecordedSubscription) { known.with { $0.subscription = new } }
    var subscription: RecordedSubscription? { known.with { $0.subscription } }

    /// Takes a while, and longer if a thread waits for the delivery.
    func deliver(_ number: UInt32) {
      isInFlight.store(true, ordering: .relaxed)
      BusyWait.short(number)
      if isAwaited.load(ordering: .relaxed) { BusyWait.wait(Self.patience / 2) }
      isInFlight.store(false, ordering: .relaxed)
    }

    /// Runs the body after a short wait for a delivery.
    func meet(_ body: () -> Void) {
      isAwaited.store(true, ordering: .relaxed)
      let end = Stamp.now() + Self.patience
      while !isInFlight.load(ordering: .relaxed), Stamp.now() < end {}
      body()
      isAwaited.store(false, ordering: .relaxed)
    }
  }

  init(_ tested: PublisherUnderTest, _ random: inout SeededGenerator, by joiner: Int, order: Int) {
    let meeting = Meeting()
    let cancelsItself = random.draw(2) == 0
    target = tested.subscribe(.draw(&random), by: joiner, order: order) { _, number in
      meeting.deliver(number)
      if cancelsItself, number % 2 == 0 { meeting.subscription?.cancel(isOnOwnContext: true) }
    }
    meeting.set(target.subscription)
    self.meeting = meeting
  }

  /// Cancels from here, from its own context, or with a wait.
  func cancel(_ random: inout SeededGenerator, _ pending: DispatchGroup) {
    let subscription = target.subscription
    switch random.draw(8) {
    case 0:
      guard let place = subscription.kind.place, place.isExclusive, let queue = place.queue else {
        subscription.cancel()
        return
      }
      pending.enter()
      queue.async {
        subscription.cancel(isOnOwnContext: true)
        pending.leave()
      }
    case 1:
      pending.enter()
      Task.detached {
        await subscription.cancelAndWait()
        pending.leave()
      }
    case 2: subscription.readStatistics()
    case 3...5: meeting.meet { subscription.cancel() }
    default: subscription.cancel()
    }
  }
}

/// A subscription that is cancelled while its delivery is certainly active on another thread.
enum HeldDelivery {
  private static let contexts: [ContextKind] = [
    .background, .queue, .concurrentQueue, .independentQueue, .executor, .actorOnQueue,
  ]

  /// Subscribes, waits inside the first delivery, cancels from here, and lets the delivery go on.
  static func cancel(
    of tested: PublisherUnderTest, _ random: inout SeededGenerator, by joiner: Int, order: Int
  ) -> LiveSubscriber {
    let (began, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let place = Places.draw(random.pick(contexts), &random)
    let kind = SubscriptionKind(at: place, random.pick(Interface.anywhere), .draw(&random))
    let subscriber = tested.subscribe(kind, by: joiner, order: order) { _, _ in
      began.signal()
      // The checker finds it if the cancel never happens.
      _ = mayEnd.wait(timeout: .now() + .seconds(30))
    }
    let isInFlight = began.wait(timeout: .now() + .seconds(30)) == .success
    subscriber.subscription.cancel(mustBeInFlight: isInFlight)
    mayEnd.signal()
    return subscriber
  }
}

/// An object that replaces its own subscription again and again, each time on another context.
enum Replacements {
  private static let count = 6

  static func make(
    of tested: PublisherUnderTest, _ random: inout SeededGenerator, by joiner: Int, order: Int, caller: inout Caller
  ) -> LiveSubscriber {
    let (began, isOver) = (DispatchSemaphore(value: 0), Guarded(false))
    // Long enough for the next delivery to begin during this one.
    let log = DeliveryLog(at: nil) { _, _ in
      guard !isOver.with({ $0 }) else { return }
      began.signal()
      BusyWait.wait(30_000)
    }
    let subscriber = TypedRecorder(log)
    var contexts = [DeliveryContext.background] + Places[.queue].map(\.context)
    var last: Subscription?
    let begin = Stamp.now()
    for _ in 0...count {
      // Never the one before, which is at the end.
      contexts.append(contexts.remove(at: random.draw(contexts.count - 1)))
      last = tested.publisher.subscribe(subscriber, on: contexts[contexts.count - 1], ifDuplicate: .replace)
      caller.publish(tested.publisher, &random)
      _ = began.wait(timeout: .now() + .milliseconds(20))
    }
    isOver.with { $0 = true }
    let subscription = RecordedSubscription(
      SubscriptionKind(at: Places.background), log, last, joining: Span(since: begin), by: joiner, order: order,
      replay: 0...UInt32.max)
    subscription.note { $0.replacements = count }
    return LiveSubscriber(subscription: subscription, subscriber: subscriber)
  }
}
