import SubPub
import Support

/// Groups of delegates on all contexts, to which calls are passed on without a state and without a replay.
final class DelegateGroup: Sendable {
  let delegates = MulticastDelegate<any CallReceiver>()
  let mainDelegates = MainActorMulticastDelegate<any MainCallReceiver>()
  private let added = Guarded<[LiveSubscriber]>([])
  private let addedOnMain = Guarded<[LiveSubscriber]>([])

  func call(_ number: UInt32) { delegates.call { $0.called(number) } }
  func callMain(_ number: UInt32) { mainDelegates.call { $0.called(number) } }

  /// Adds several delegates on each context.
  func addAll() async {
    await ThreadGroup.alone { [self] in
      for place in Places.all { for _ in 0..<(place.kind.isShared ? 4 : 2) { add(at: place) } }
    }
    await MainActor.run { for _ in 0..<40 { addOnMain() } }
  }

  private func add(at place: Place) {
    let log = DeliveryLog(at: place)
    let recorder = PlainRecorder(log)
    let (subscription, span) = Span.of { delegates.add(recorder, on: place.context) }
    added.with {
      let kind = SubscriptionKind(at: place, .multicast)
      let recorded = RecordedSubscription(kind, log, subscription, joining: span, by: 0, order: $0.count, replay: nil)
      $0.append(LiveSubscriber(subscription: recorded, subscriber: recorder))
    }
  }

  @MainActor private func addOnMain() {
    let log = DeliveryLog(at: Places.main)
    let recorder = MainPlainRecorder(log)
    let (subscription, span) = Span.of { mainDelegates.add(recorder) }
    addedOnMain.with {
      let kind = SubscriptionKind(at: Places.main, .mainMulticast)
      let recorded = RecordedSubscription(kind, log, subscription, joining: span, by: 0, order: $0.count, replay: nil)
      $0.append(LiveSubscriber(subscription: recorded, subscriber: recorder))
    }
  }

  /// One history for the delegates on any context, and one for those of the main actor.
  func histories(calls: [Call], mainCalls: [Call]) async -> [History] {
    await delegates.drain()
    await mainDelegates.drain()
    var histories: [History] = []
    for (group, calls) in [(added, calls), (addedOnMain, mainCalls)] {
      var history = History()
      history.calls = calls
      history.subscriptions = await Subscribers(live: group.with { $0 }).finish()
      histories.append(history)
    }
    return histories
  }
}
