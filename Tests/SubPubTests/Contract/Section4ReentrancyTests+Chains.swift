import SubPub
import SubPubTesting
import Synchronization
import Testing

// Rule 4.04: chains of 100,000 publishes, each from the callback of the one before.
extension Section4ReentrancyTests {
  static let length = 100_000

  private func expectAll(_ chain: PublishChain, sourceLocation: SourceLocation = #_sourceLocation) async throws {
    try await chain.wait()
    #expect(chain.deliveries.load(ordering: .relaxed) == Self.length, sourceLocation: sourceLocation)
    #expect(chain.depth.deepest == 1, sourceLocation: sourceLocation)
  }

  @Test("a chain of publishes uses constant stack on every context", arguments: ContextKind.allCases)
  func required_4_04_publisher(kind: ContextKind) async throws {
    let chain = PublishChain(publisher, length: Self.length)
    publisher.subscribe(chain, on: makePlace(kind).context) { chain, _ in chain.receive() }
    try await expectAll(chain)
    await publisher.drain()
  }

  @Test("a chain uses constant stack on an executor that runs its jobs inside enqueue")
  func required_4_04_inlineExecutor() async throws {
    let executor = InlineExecutor()
    let chain = PublishChain(publisher, length: Self.length)
    publisher.subscribe(chain, on: .executor(executor)) { chain, _ in chain.receive() }
    try await expectAll(chain)
    #expect(executor.depth.deepest == 1)
  }

  @Test("a chain uses constant stack while two drains hand back at the same time")
  func required_4_04_relayExecutor() async throws {
    let executor = RelayExecutor()
    let chain = PublishChain(publisher, length: 10_000)
    publisher.subscribe(chain, on: .executor(executor)) { chain, _ in chain.receive() }
    try await chain.wait()
    #expect(chain.depth.deepest == 1)
    #expect(executor.jobs > 3)
    #expect(executor.depth.deepest == 1)
  }

  @Test("a chain uses constant stack if one hand-back runs inside another")
  func required_4_04_helpingExecutor() async throws {
    let executor = HelpingExecutor()
    let chain = PublishChain(publisher, length: Self.length)
    publisher.subscribe(chain, on: .executor(executor)) { chain, _ in chain.receive() }
    try await expectAll(chain)
    await publisher.drain()
    #expect(executor.depth.deepest == 1)
  }

  /// A subscriber whose lane is handed back after its third delivery.
  ///
  /// It is held in the first delivery, and its second takes longer than a lane may keep its context.
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

  @Test("a thread that hands one lane back serves another that is being handed back elsewhere")
  func required_4_04_lendingExecutor() async throws {
    let (lent, own, served) = (SlowStarter(), SlowStarter(), Locked(0))
    let lender = LendingExecutor { served.withLock { $0 = lent.count } }
    let borrower = BorrowingExecutor(lender)
    defer { for gate in [lent.gate, own.gate, lender.isLent, lender.isReturned] { gate.open() } }
    publisher.subscribe(lent, on: .executor(lender))
    publisher.subscribe(own, on: .executor(borrower))
    try await lent.gate.waitUntilHeld()
    try await own.gate.waitUntilHeld()
    for number in 1...9 { publisher.updateData(number) }
    lent.gate.open()
    own.gate.open()
    await publisher.drain()
    // The lane's own thread was inside the hand-back all that time.
    #expect(served.withLock { $0 } > 3)
    #expect(lent.count == 10 && own.count == 10)
  }

  @Test("a chain of calls to delegates uses constant stack", arguments: ContextKind.allCases)
  func required_4_04_delegates(kind: ContextKind) async throws {
    let group = MulticastDelegate<PublishChain>()
    let chain = PublishChain(length: Self.length) { [weak group] _ in group?.call { $0.receive() } }
    group.add(chain, on: makePlace(kind).context)
    group.call { $0.receive() }
    try await expectAll(chain)
    await group.drain()
  }

  @Test("a chain of an explicit publisher uses constant stack")
  func required_4_04_explicit() async throws {
    let explicit = ExplicitPublisher<Int, PublishChain>(publisher) { chain, _ in chain.receive() }
    let chain = PublishChain(publisher, length: Self.length)
    explicit.subscribe(chain, on: .immediate)
    try await expectAll(chain)
  }

  @Test("two publishers that publish to each other use constant stack")
  func required_4_04_twoPublishers() async throws {
    let other = Publisher<Int>()
    let chain = PublishChain(length: Self.length) { [publisher] in publisher.updateData($0) }
    let relay = NestingDepth()
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
