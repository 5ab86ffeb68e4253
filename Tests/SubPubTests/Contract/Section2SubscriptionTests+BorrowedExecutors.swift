import SubPub
import SubPubTesting
import Testing

extension Section2SubscriptionTests {
  actor Lender {
    func run(_ body: @Sendable () -> Void) { body() }
  }

  /// Runs on an executor that another actor is, or that is the main actor's.
  actor Borrower {
    private nonisolated let lender: Lender?
    nonisolated var unownedExecutor: UnownedSerialExecutor {
      unsafe lender?.unownedExecutor ?? MainActor.sharedUnownedExecutor
    }

    init(_ lender: Lender?) { self.lender = lender }

    private(set) var states: [LoadState<Int>] = []
    func note(_ state: LoadState<Int>) { states.append(state) }
  }

  @Test("2.03: an actor may run on the executor of another, or on the main actor's", arguments: [true, false])
  func required_2_03_borrowedExecutor(fromActor: Bool) async {
    await #expect(processExitsWith: .success) { [fromActor] in
      let (publisher, lender) = (Publisher<Int>(), Lender())
      let borrower = Borrower(fromActor ? lender : nil)
      let subscription = publisher.subscribe(borrower) { (borrower: isolated Borrower, state) in
        if fromActor { lender.preconditionIsolated() } else { MainActor.preconditionIsolated() }
        borrower.note(state)
      }
      for number in 1...3 { publisher.updateData(number) }
      await publisher.drain()
      let states = await borrower.states
      guard states == [.unknown, .loaded(1), .loaded(2), .loaded(3)] else { fatalError("\(states)") }
      guard subscription.cancel() == .quiescent else { fatalError("\(subscription)") }
    }
  }

  @Test("2.05: a borrower is held weakly, even while it has something pending")
  func required_2_05_borrower() async {
    let (lender, recorder) = (Lender(), Recorder<Int>())
    weak var probe: Borrower?
    await lender.run {}
    do {
      let borrower = Borrower(lender)
      probe = borrower
      publisher.subscribe(recorder, on: .actor(borrower))
      await publisher.drain()
      withExtendedLifetime(borrower) {}
    }
    #expect(probe == nil)
    publisher.updateData(1)
    await publisher.drain()
    #expect(recorder.states == [.unknown])
    #expect(publisher.subscriberCount == 0)
  }
}
