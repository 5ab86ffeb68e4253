import Dispatch
import Synchronization
import Testing

extension StressTests {
  /// Several threads cancel the same subscriptions, from everywhere, while deliveries are in flight.
  @Test("a cancel's outcome tells what really was under way")
  func stochastic_3_01_3_02_3_03_3_04_cancel() async {
    await Workload.cancel.run { round in
      let (tested, targets, pending) = (PublisherUnderTest(), Guarded<[Target]>([]), DispatchGroup())
      var subscribers = Subscribers(of: tested)
      subscribers.addReference()
      let (held, calls) = await round.play { _, random, caller in
        var held: [RecordedSubscription] = []
        for order in 0..<50 {
          let target = Self.makeTarget(of: tested, &random)
          targets.with { $0.append(target) }
          for _ in 0..<(1 + random.draw(6)) { caller.publish(tested.publisher, &random) }
          for _ in 0..<2 { Self.cancel(targets.value, &random, pending) }
          if order % 4 == 1 { held.append(Self.cancelHeld(of: tested, &random)) }
        }
        return held
      }
      // Cancels on queues and in tasks.
      await withCheckedContinuation { done in pending.notify(queue: .global()) { done.resume() } }
      subscribers.ended = targets.value.map(\.subscription) + held.joined()
      var history = await subscribers.history(of: tested, calls: calls)
      // Targets that no thread has drawn are alive.
      history.count = nil
      return RoundResult(histories: [history])
    }
  }

  /// A subscription for threads to cancel.
  private typealias Target = (subscription: RecordedSubscription, meeting: Meeting)

  private static func makeTarget(of tested: PublisherUnderTest, _ random: inout SeededGenerator) -> Target {
    let (meeting, cancelsItself) = (Meeting(), random.draw(2) == 0)
    let subscription = tested.subscribe(.draw(&random)) { subscription, number in
      meeting.deliver(number)
      if cancelsItself, number % 2 == 0 { subscription.cancel(isOnOwnContext: true) }
    }
    return (subscription, meeting)
  }

  /// Cancels one of the targets, mostly one of the newest: from here, from its own context, or with a wait.
  private static func cancel(_ targets: [Target], _ random: inout SeededGenerator, _ pending: DispatchGroup) {
    let (subscription, meeting) = random.pick(Array(targets.suffix(random.draw(4) == 0 ? .max : 8)))
    switch random.draw(8) {
    case 0:
      guard let place = subscription.kind.place, place.isExclusive, let queue = place.queue else {
        return subscription.cancel()
      }
      queue.async(group: pending) { subscription.cancel(isOnOwnContext: true) }
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

  /// Subscribes, waits inside the first delivery, cancels from here, and lets the delivery go on.
  ///
  /// So the delivery is certainly active on another thread.
  private static func cancelHeld(
    of tested: PublisherUnderTest, _ random: inout SeededGenerator
  ) -> RecordedSubscription {
    let (began, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let contexts: [ContextKind] = [
      .background, .queue, .concurrentQueue, .independentQueue, .executor, .actorOnQueue,
    ]
    let place = Places.draw(random.pick(contexts), &random)
    let kind = SubscriptionKind(at: place, random.pick(Interface.anywhere), .draw(&random))
    let subscription = tested.subscribe(kind) { _, _ in
      began.signal()
      // The checker finds it if the cancel never happens.
      _ = TestLimit.wait { mayEnd.wait(timeout: $0) }
    }
    let isInFlight = TestLimit.wait { began.wait(timeout: $0) }
    subscription.cancel(mustBeInFlight: isInFlight)
    mayEnd.signal()
    return subscription
  }
}

/// Makes a delivery and a cancel meet.
private final class Meeting: Sendable {
  // Relaxed: they order nothing.
  private let isAwaited = Atomic<Bool>(false)
  private let isInFlight = Atomic<Bool>(false)
  private static let patience: UInt64 = 50_000

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
