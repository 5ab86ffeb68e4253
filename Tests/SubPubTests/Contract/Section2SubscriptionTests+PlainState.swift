import SubPub
import SubPubTesting
import Testing

// Rule 2.09. ThreadSanitizer is the better judge of these; without it the sums still have to be right.
extension Section2SubscriptionTests {
  @Test("a subscriber may count in a plain variable, whoever publishes", arguments: ContextKind.allCases)
  func stochastic_2_09_plainCount(kind: ContextKind) async throws {
    let (place, publisher, ledger) = (Place(kind), Publisher<Parcel>(), Ledger())
    let subscription = publisher.subscribe(ledger, on: place.context)
    try await Race.run(threads: 4) { thread in
      for number in 0..<1_000 { publisher.updateData(Parcel(thread * 1_000 + number)) }
    }
    await publisher.drain()
    // Nothing is pending, and nobody publishes: nothing is under way.
    #expect(subscription.cancel() == .quiescent)
    #expect(ledger.count == 4_001)
    #expect(ledger.sum == (0..<4_000).reduce(0, +))
  }

  @Test("and read it after cancelAndWait, whatever is under way or pending", arguments: ContextKind.allCases)
  func stochastic_2_09_cancelAndWait(kind: ContextKind) async throws {
    for _ in 0..<20 {
      let (place, publisher, ledger) = (Place(kind), Publisher<Parcel>(), Ledger())
      let subscription = publisher.subscribe(ledger, on: place.context)
      let end = Event()
      OwnThread.start {
        for number in 0..<100 { publisher.updateData(Parcel(number)) }
        end.happen()
      }
      await subscription.cancelAndWait()
      #expect(ledger.count == subscription.statistics.delivered)
      try await end.wait()
      #expect(ledger.count == subscription.statistics.delivered)
    }
  }

  @Test("and after each drain", arguments: ContextKind.allCases)
  func stochastic_2_09_drained(kind: ContextKind) async {
    let (place, publisher, ledger) = (Place(kind), Publisher<Parcel>(), Ledger())
    publisher.subscribe(ledger, on: place.context)
    for number in 1...2_000 {
      publisher.updateData(Parcel(number))
      await publisher.drain()
      #expect(ledger.sum == number * (number + 1) / 2)
    }
  }

  @Test("and after a cancel that was quiescent", arguments: ContextKind.allCases)
  func stochastic_2_09_quiescent(kind: ContextKind) async throws {
    for _ in 0..<20 {
      let (place, publisher, ledger) = (Place(kind), Publisher<Parcel>(), Ledger())
      let subscription = publisher.subscribe(ledger, on: place.context)
      let end = Event()
      OwnThread.start {
        for number in 0..<50 { publisher.updateData(Parcel(number)) }
        if subscription.cancel() == .quiescent { #expect(ledger.count == subscription.statistics.delivered) }
        end.happen()
      }
      try await end.wait()
      await subscription.cancelAndWait()
      #expect(ledger.count == subscription.statistics.delivered)
    }
  }

  @Test(
    "a delivery sees what the one before it has written, and the publisher before it", arguments: ContextKind.allCases)
  func required_2_09_chain(kind: ContextKind) async throws {
    let (place, publisher, ledger) = (Place(kind), Publisher<Parcel>(), Ledger())
    let subscription = publisher.subscribe(ledger, on: place.context)
    for number in 1...100 {
      // Each from a thread of its own.
      let parcel = Parcel(0)
      try await OwnThread.run {
        parcel.content = number
        publisher.updateData(parcel)
      }
    }
    await publisher.drain()
    await subscription.cancelAndWait()
    #expect(ledger.sum == 5_050)
    #expect(ledger.count == 101)
  }
}
