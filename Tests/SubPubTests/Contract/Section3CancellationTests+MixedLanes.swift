import SubPub
import SubPubTesting
import Testing

// Rule 3.05 in lanes of subscriptions with different policies.
extension Section3CancellationTests {
  /// The subscriptions that share a lane with the one that is cancelled.
  struct Mix: Sendable, CustomTestStringConvertible {
    let cancelled: BufferingPolicy
    let before: [BufferingPolicy]
    /// These join after four of the five states.
    let after: [BufferingPolicy]
    /// How many of the five payloads die with the cancel.
    let deaths: Int

    var testDescription: String { "\(before), [\(cancelled)], \(after)" }

    static let all = [
      Mix(cancelled: .newest(1_000), before: [.latest], after: [], deaths: 4),
      Mix(cancelled: .newest(1_000), before: [.newest(2), .latest], after: [], deaths: 3),
      Mix(cancelled: .newest(1_000), before: [.newest(3)], after: [], deaths: 2),
      Mix(cancelled: .unbounded, before: [.newest(3), .latest], after: [], deaths: 2),
      Mix(cancelled: .unbounded, before: [.latest], after: [.unbounded], deaths: 3),
      Mix(cancelled: .unbounded, before: [.newest(1), .latest], after: [.unbounded, .unbounded], deaths: 3),
      Mix(cancelled: .unbounded, before: [.newest(3)], after: [.unbounded], deaths: 2),
      Mix(cancelled: .unbounded, before: [.latest], after: [.latest], deaths: 4),
      Mix(cancelled: .unbounded, before: [], after: [.unbounded], deaths: 3),
      Mix(cancelled: .newest(1_000), before: [.latest], after: [.unbounded], deaths: 3),
      Mix(cancelled: .newest(4), before: [.latest], after: [.newest(2)], deaths: 3),
    ]
  }

  @Test("in a held lane unwanted payloads die with the round", arguments: ContextKind.holdableShared, Mix.all)
  func required_3_05_mixedLaneHeld(kind: ContextKind, mix: Mix) async throws {
    let (place, deaths, publisher) = (makePlace(kind), Deaths(), keep(Publisher<Token>()))
    let (gate, next, subscriber, holder) = (makeGate(), makeGate(), makeListener(), makeListener())
    // The subscription to cancel is held in version 0, and the others in the next round.
    OwnThread.start {
      for policy in mix.before {
        publisher.subscribe(subscriber, on: place.context, buffering: policy) { _, state in
          if state.value != nil { next.pass() }
        }
      }
      publisher.subscribe(holder, on: place.context, buffering: mix.cancelled) { _, _ in gate.pass() }
    }
    try await gate.waitUntilHeld()
    for _ in 1...4 { publisher.updateData(deaths.makeToken()) }
    for policy in mix.after {
      publisher.subscribe(subscriber, on: place.context, buffering: policy) { _, _ in next.pass() }
    }
    publisher.updateData(deaths.makeToken())
    #expect(try await OwnThread.result { publisher.unsubscribe(holder) } == .inFlight)
    gate.open()
    if mix.before.isEmpty && mix.after.isEmpty {
      try await deaths.wait(count: 4)
    } else {
      try await next.waitUntilHeld()
    }
    let kept =
      mix.before.map { $0.rest(of: Array(1...5)) } + mix.after.map { $0.rest(of: [4, 5]) } + [[5]]
    #expect(deaths.count == 5 - Set(kept.flatMap { $0 }).count)
    next.open()
    await publisher.drain()
  }
}
