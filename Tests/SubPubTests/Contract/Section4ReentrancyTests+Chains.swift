import SubPub
import SubPubTesting
import Support
import Synchronization
import Testing

// Rule 4.04: chains of publishes, each from the callback of the one before.
extension Section4ReentrancyTests {
  static let length = TestRounds.of(5_000, full: 100_000)

  private func expectAll(_ chain: PublishChain, at location: SourceLocation = #_sourceLocation) async throws {
    try await chain.wait()
    #expect(chain.deliveries.load(ordering: .relaxed) == Self.length, sourceLocation: location)
    #expect(chain.depth.deepest == 1, sourceLocation: location)
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
    #expect(executor.deepest == 1)
  }

  @Test("an executor that blocks while a lane is handed back to it holds up no other hand-back")
  func required_2_08_4_04_blockedHandBack() async throws {
    let (gate, jobs, other) = (makeGate(), Event(), Publisher<Int>())
    let blocking = InlineExecutor {
      jobs.happen()
      if jobs.count == 2 { gate.pass() }
    }
    let (blocked, chain) = (PublishChain(publisher, length: 2_000), PublishChain(other, length: 2_000))
    publisher.subscribe(blocked, on: .executor(blocking)) { chain, _ in chain.receive() }
    try await gate.waitUntilHeld()
    let executor = InlineExecutor()
    other.subscribe(chain, on: .executor(executor)) { chain, _ in chain.receive() }
    try await chain.wait()
    #expect(executor.jobs > 1)
    #expect(blocked.deliveries.load(ordering: .relaxed) < 2_000)
    gate.open()
    try await blocked.wait()
    #expect(blocking.deepest == 1)
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
}
