import SubPub
import Support

/// One history: a publisher, contexts whose jobs wait to be drawn, clients, and what they did and saw.
final class Simulation: SimulatedHistory, @unchecked Sendable {
  typealias Operation = Linearizability<Register>.Operation

  /// Nil once it is released.
  var publisher: Publisher<Payload>?
  var livePayloads = 0
  private var clients: [() -> Void] = []
  var operations: [Operation] = []
  var inboxes: [Inbox] = []
  var members: [SimulatedSubscription] = []
  var named: [String: SimulatedSubscription] = [:]
  /// Follow the numbers of subscriptions.
  var counts: [ValueSequence<Int>.Iterator] = []
  /// Keep the subscriptions of derived publishers.
  var followers: [AnyObject] = []
  var drains: [(version: UInt32, span: Span)] = []
  var releasedAt: Int?
  var finishedAt: Int?
  /// The exploration that it is a part of, in which nothing is left to chance.
  let exploration: Exploration?
  private let setUp: (Simulation) -> Void

  init(_ scheduler: Scheduler, in exploration: Exploration? = nil, playing setUp: @escaping (Simulation) -> Void) {
    self.setUp = setUp
    self.exploration = exploration
    super.init(scheduler, tasks: exploration == nil ? .unordered : .serial)
    publisher = makePublisher()
    publisher?.neverLookForDead()
  }

  private func makePublisher() -> Publisher<Payload> {
    // Whether the clock is read is left to chance.
    let staleAfter = exploration != nil || draw(8) == 0 ? nil : Duration.seconds(1)
    let clock = StandInClock { self.foreignCode(.clock) }
    #if DEBUG
      return Publisher(staleAfter: staleAfter, clock: clock, schedulingPoints: scheduler.schedulingPoints)
    #else
      return Publisher(staleAfter: staleAfter, clock: clock)
    #endif
  }

  /// Adds a client, whose steps run on a strand of its own.
  func client(_ steps: Step...) { clients.append { for step in steps { step.run(self) } } }

  /// Adds clients that do the same, and can't be told apart.
  func clients(_ count: Int, _ step: Step) {
    for _ in 0..<count { client(Step { $0.scheduler.joinTwins() }, step) }
  }

  /// Stands for the time that foreign code takes.
  func foreignCode(_ kind: Trace.Kind, _ subject: Int = 0) {
    scheduler.note(kind, subject)
    scheduler.point()
  }

  /// A payload whose comparison and release are scheduling points.
  func makePayload(_ number: Int) -> Payload {
    livePayloads += 1
    return Payload(
      number: UInt32(number), whenCompared: { self.foreignCode(.equal, number) },
      whenReleased: {
        self.livePayloads -= 1
        self.foreignCode(.payloadDies, number)
      })
  }

  /// Draws a policy with a bound.
  func bounded() -> BufferingPolicy { draw(3) == 0 ? .latest : .newest(1 + draw(3)) }

  override var overlaps: Bool { Linearizability.overlap(operations) }

  /// A history that is known by its end isn't checked.
  override func play() -> Bool {
    setUp(self)
    guard scheduler.run(clients) else { return false }
    let isKnown = exploration?.isKnown ?? false
    if !isKnown { checkAtRest() }
    guard scheduler.run([{ self.releasePublisher() }]) else { return false }
    if !isKnown { checkAtEnd() }
    return true
  }

  override func end() {
    clients = []
    for inbox in inboxes { (inbox.subscriber, inbox.reaction, inbox.members) = (nil, nil, []) }
    (members, named, followers, counts) = ([], [:], [], [])
  }
}

/// A clock that stands still, and whose reading is a scheduling point.
struct StandInClock: Clock {
  struct Instant: InstantProtocol {
    let offset: Duration
    func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Duration { other.offset - offset }
    static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  let whenRead: @Sendable () -> Void

  var now: Instant {
    whenRead()
    return Instant(offset: .zero)
  }

  var minimumResolution: Duration { .zero }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {}
}
