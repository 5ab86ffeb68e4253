import SubPub
import SubPubTesting
import Synchronization
import Testing

/// Chains of 100,000 publishes, each from the callback of the one before.
extension Section4ReentrancyTests {
  static let length = 100_000

  private func expectAll(_ chain: Chain, sourceLocation: SourceLocation = #_sourceLocation) async throws {
    try await chain.wait()
    #expect(chain.deliveries.load(ordering: .relaxed) == Self.length, sourceLocation: sourceLocation)
    #expect(chain.depth.deepest == 1, sourceLocation: sourceLocation)
  }

  @Test("4.04: on every context the stack doesn't grow", arguments: ContextKind.allCases)
  func required_4_04_publisher(kind: ContextKind) async throws {
    let place = Place(kind)
    defer { withExtendedLifetime(place) {} }
    let chain = Chain(publisher, length: Self.length)
    publisher.subscribe(chain, on: place.context) { chain, _ in chain.receive() }
    try await expectAll(chain)
    await publisher.drain()
  }

  @Test("4.04: an executor that runs jobs at once doesn't make it grow either")
  func required_4_04_inlineExecutor() async throws {
    let executor = DepthExecutor()
    let chain = Chain(publisher, length: Self.length)
    publisher.subscribe(chain, on: .executor(executor)) { chain, _ in chain.receive() }
    try await expectAll(chain)
    // The job that drains, and on top of it the one that it asked for when it handed back.
    #expect(executor.depth.deepest <= 2)
  }

  @Test("4.04: nor one that goes on with the chain on another thread before the first has handed it back")
  func required_4_04_relayExecutor() async throws {
    let executor = RelayExecutor()
    let chain = Chain(publisher, length: 10_000)
    publisher.subscribe(chain, on: .executor(executor)) { chain, _ in chain.receive() }
    try await chain.wait()
    #expect(chain.depth.deepest == 1)
    #expect(executor.jobs > 3)
    #expect(executor.depth.deepest <= 2)
  }

  @Test("4.04: nor on an executor that runs another drain's hand-back inside its own")
  func required_4_04_helpingExecutor() async throws {
    let executor = HelpingExecutor()
    let chain = Chain(publisher, length: Self.length)
    publisher.subscribe(chain, on: .executor(executor)) { chain, _ in chain.receive() }
    try await expectAll(chain)
    await publisher.drain()
    #expect(executor.deepest == 1)
  }

  /// Is held in its first delivery, and takes longer for its second than a lane may keep its context: the lane is handed
  /// back after the third.
  final class SlowStarter: TypedSubscriber {
    let gate = Gate()
    private let calls = Atomic<Int>(0)

    var count: Int { calls.load(ordering: .relaxed) }

    func receive(_ state: LoadState<Int>) {
      switch calls.add(1, ordering: .relaxed).newValue {
      case 1: gate.pass()
      case 2:
        let begin = ContinuousClock.now
        while begin.duration(to: .now) < .milliseconds(5) {}
      default: break
      }
    }
  }

  @Test("4.04: a thread that hands one lane back serves another, which is being handed back elsewhere")
  func required_4_04_lendingExecutor() async throws {
    let (lent, own, served) = (SlowStarter(), SlowStarter(), Locked(0))
    let lender = LendingExecutor { served.withLock { $0 = lent.count } }
    let borrower = BorrowingExecutor(lender)
    defer { for gate in [lent.gate, own.gate, lender.isLent, lender.isReturned] { gate.open() } }
    publisher.subscribe(lent, on: .executor(lender))
    publisher.subscribe(own, on: .executor(borrower))
    await lent.gate.waitUntilHeld()
    await own.gate.waitUntilHeld()
    for number in 1...9 { publisher.updateData(number) }
    lent.gate.open()
    own.gate.open()
    await publisher.drain()
    // Its own thread was inside the hand-back all that time.
    #expect(served.withLock { $0 } > 3)
    #expect(lent.count == 10 && own.count == 10)
  }

  @Test("4.04: nor do the calls of delegates", arguments: ContextKind.allCases)
  func required_4_04_delegates(kind: ContextKind) async throws {
    let place = Place(kind)
    defer { withExtendedLifetime(place) {} }
    let group = MulticastDelegate<Chain>()
    let chain = Chain(length: Self.length) { [weak group] _ in group?.call { $0.receive() } }
    group.add(chain, on: place.context)
    group.call { $0.receive() }
    try await expectAll(chain)
    await group.drain()
  }

  @Test("4.04: nor do explicit publishers")
  func required_4_04_explicit() async throws {
    let explicit = ExplicitPublisher<Int, Chain>(publisher) { chain, _ in chain.receive() }
    let chain = Chain(publisher, length: Self.length)
    explicit.subscribe(chain, on: .immediate)
    try await expectAll(chain)
  }

  @Test("4.04: nor do two publishers whose callbacks publish at each other")
  func required_4_04_twoPublishers() async throws {
    let other = Publisher<Int>()
    let chain = Chain(length: Self.length) { [publisher] in publisher.updateData($0) }
    let relay = Depth()
    other.subscribe(chain, on: .immediate) { chain, _ in chain.receive() }
    publisher.subscribe(relay, on: .immediate) { relay, _ in
      relay.enter()
      other.startLoading()
      relay.leave()
    }
    try await expectAll(chain)
    #expect(relay.deepest == 1)
  }
}
