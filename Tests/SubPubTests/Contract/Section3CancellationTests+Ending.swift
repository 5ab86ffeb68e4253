import SubPub
import SubPubTesting
import Testing

// Rules 3.06 and 3.09: how subscriptions end with their publisher.
extension Section3CancellationTests {
  @Test(
    "on one thread subscriptions end during the publisher's release, or the call that finishes it",
    arguments: ManualPlace.Kind.allCases, [true, false])
  func required_3_06_3_09_endsAtOnce(kind: ManualPlace.Kind, finishes: Bool) {
    let (place, deaths) = (ManualPlace(kind), Deaths())
    var brief: Publisher<Token>? = Publisher()
    let subscription = brief?.subscribe(recorder, on: place.context, capturing: deaths)
    brief?.updateData(deaths.makeToken())
    place.serve()
    #expect(deaths.count == 0)
    if finishes { brief?.finish() } else { brief = nil }
    #expect(subscription?.end == .publisherEnded)
    // The current state stays in a finished one.
    #expect(deaths.count == (finishes ? 1 : 2))
    #expect(subscription?.cancel() == .alreadyCancelled)
    brief?.finish()
    #expect(subscription?.end == .publisherEnded)
  }

  @Test(
    "a publisher that is released, or finishes, still delivers what is pending, and nothing else",
    arguments: ContextKind.stoppable, BufferingPolicy.oneOfEach)
  func required_3_06_3_09_pending(kind: ContextKind, policy: BufferingPolicy) async throws {
    let place = makePlace(kind)
    for (finishes, cancels) in [(true, false), (true, true), (false, false), (false, true)] {
      let (recorder, deaths, finished) = (Recorder<Int>(), Deaths(), Publisher<Int>())
      weak var probe: Publisher<Int>?
      let subscription = try await place.whileStopped {
        let subscription: Subscription
        do {
          let ending = finishes ? finished : Publisher<Int>()
          probe = ending
          subscription = ending.subscribe(recorder, on: place.context, buffering: policy, capturing: deaths) {
            $0.receive($1)
          }
          for number in 1...5 { ending.updateData(number) }
          if finishes {
            ending.finish()
            ending.updateData(6)
          }
        }
        #expect((probe == nil) == !finishes)
        #expect((subscription.isActive, subscription.end) == (true, nil))
        if cancels { #expect(subscription.cancel() == .quiescent) }
        return subscription
      }
      #expect(await subscription.ended() == (cancels ? .cancelled : .publisherEnded))
      try await deaths.wait()
      // Behind everything that the context still had to do.
      try await place.run {}
      #expect(recorder.states == (cancels ? [] : policy.rest(of: [.unknown] + (1...5).map { .loaded($0) })))
      #expect((subscription.isActive, subscription.cancel()) == (false, .alreadyCancelled))
      #expect(finished.subscriberCount == 0)
    }
  }

  @Test("a delivery can hold the last reference to its publisher", arguments: ContextKind.allCases)
  func required_3_06_releasedInside(kind: ContextKind) async throws {
    let (place, deaths) = (makePlace(kind), Deaths())
    let holder = Locked<Publisher<Int>?>(Publisher())
    let made = holder.withLock { $0 }?.subscribe(recorder, on: place.context, capturing: deaths) { recorder, state in
      if state == .loaded(1) {
        let last = holder.withLock { $0.take() }
        last?.updateData(2)
      }
      recorder.receive(state)
    }
    OwnThread.start { holder.withLock { $0 }?.updateData(1) }
    try await deaths.wait()
    #expect(recorder.states == [.unknown, .loaded(1), .loaded(2)])
    #expect(made?.isActive == false)
  }

  @Test("delegates get every call that came before the release of their group")
  func required_3_06_delegates() async throws {
    let place = makePlace(.queue)
    weak var probe: MulticastDelegate<Recorder<Int>>?
    try await place.whileStopped {
      let group = MulticastDelegate<Recorder<Int>>()
      probe = group
      group.add(recorder, on: place.context)
      for number in 1...3 { group.call { $0.receive(.loaded(number)) } }
    }
    #expect(probe == nil)
    try await recorder.wait(count: 3)
    #expect(recorder.states == [.loaded(1), .loaded(2), .loaded(3)])
  }
}
