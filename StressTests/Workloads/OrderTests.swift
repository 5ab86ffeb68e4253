import SubPub
import SubPubTesting
import Support
import Testing

extension StressTests {
  /// Subscribers of all kinds stay, and threads publish in bursts.
  ///
  /// At the first publisher each state tells which transition made it, at the second one every transition is made.
  @Test("all subscribers see one order, on their contexts, without overlap, up to the last state")
  func stochastic_1_01_1_02_1_03_2_02_2_03_2_07_2_09_4_01_5_01_order() async {
    await Workload.order.run { round in
      let (first, second, group) = (PublisherUnderTest(), PublisherUnderTest(), DelegateGroup())
      let subscribers = await Subscribers.all(of: first, in: round, withVersions: false)
      let withVersions = await Subscribers.all(of: second, in: round, withVersions: true)
      await group.addAll()
      let calls = await round.threads.run { index in
        var random = round.random(index)
        var callers = (0..<4).map { _ in Caller(index + 1) }
        for _ in 0..<12 {
          let choice = random.draw(8)
          for _ in 0..<1 + random.draw(16) {
            switch choice {
            case 0...4: callers[0].publish(first.publisher, &random)
            case 5, 6: callers[1].publishAny(second.publisher, &random)
            default:
              let (number, mainNumber) = (callers[2].number(), callers[3].number())
              callers[2].call(number) { group.delegates.call { $0.called(number) } }
              callers[3].call(mainNumber) { group.mainDelegates.call { $0.called(mainNumber) } }
            }
          }
        }
        return callers.map(\.calls)
      }
      func called(_ which: Int) -> [Call] { calls.flatMap { $0[which] } }
      return RoundResult(
        histories: [
          await subscribers.history(of: first, calls: called(0)),
          await withVersions.history(of: second, calls: called(1)),
          await group.history(calls: called(2), isOnMain: false), await group.history(calls: called(3), isOnMain: true),
        ])
    }
  }
}

/// Groups of delegates on all contexts, to which calls are passed on without a state and without a replay.
private final class DelegateGroup: Sendable {
  let delegates = MulticastDelegate<any CallReceiver>()
  let mainDelegates = MainActorMulticastDelegate<any MainCallReceiver>()
  private let added = Guarded<[RecordedSubscription]>([])

  /// Adds several delegates on each context.
  func addAll() async {
    await Threads.alone { [self] in
      for place in Places.all {
        for _ in 0..<(place.kind.isShared ? 4 : 2) {
          add(at: place, .multicast, PlainRecorder.init) { delegates.add($0, on: place.context) }
        }
      }
    }
    await MainActor.run {
      for _ in 0..<40 { add(at: Places.main, .mainMulticast, MainPlainRecorder.init) { mainDelegates.add($0) } }
    }
  }

  private func add<R: AnyObject & Sendable>(
    at place: Place, _ interface: Interface, _ make: (RecordedSubscription) -> R, _ add: (R) -> Subscription
  ) {
    let recorded = RecordedSubscription(SubscriptionKind(at: place, interface))
    let recorder = make(recorded)
    let (subscription, span) = Span.of { add(recorder) }
    recorded.begin(span, replay: nil, (recorder, subscription))
    added.with { $0.append(recorded) }
  }

  /// What happened to the delegates of the main actor, or to the others.
  func history(calls: [Call], isOnMain: Bool) async -> History {
    await delegates.drain()
    await mainDelegates.drain()
    var (history, subscribers) = (History(), Subscribers(of: nil))
    subscribers.live = added.value.filter { ($0.kind.interface == .mainMulticast) == isOnMain }
    (history.calls, history.subscriptions) = (calls, await subscribers.finish())
    return history
  }
}
