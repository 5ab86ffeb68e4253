import SubPub
import Support

/// One history: a publisher, contexts whose jobs wait to be drawn, clients, what they did and saw, and what went wrong.
///
/// Only accessed by the strand that has the turn, or by the scheduler's caller while no strand has it.
final class Simulation: @unchecked Sendable {
  typealias Operation = Linearizability.Operation

  let scheduler: Scheduler
  var problems: [String] = []
  /// Tasks that haven't ended.
  var openTasks = 0
  private var queues: [StandInQueue] = []
  private var numbers = 0
  /// The executor of tasks.
  private(set) lazy var tasks = makeQueue(exploration == nil ? .unordered : .serial, isInterrupted: false)
  /// Nil once it is released.
  var publisher: Publisher<Payload>?
  var livePayloads = 0
  private var clients: [() -> Void] = []
  var operations: [Operation] = []
  var inboxes: [Inbox] = []
  var members: [SimulatedSubscription] = []
  var named: [String: SimulatedSubscription] = [:]
  var drains: [(version: UInt32, span: Span)] = []
  var releasedAt: Int?
  /// The exploration that it is a part of, in which nothing is left to chance.
  let exploration: Exploration?
  private let setUp: (Simulation) -> Void

  init(_ scheduler: Scheduler, in exploration: Exploration? = nil, playing setUp: @escaping (Simulation) -> Void) {
    (self.scheduler, self.exploration, self.setUp) = (scheduler, exploration, setUp)
    scheduler.reset()
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

  /// Whether operations of different clients overlap.
  var overlaps: Bool { Linearizability.overlap(operations) }

  /// Runs it and, unless its end is known already, checks it; returns false if it never ends.
  func play() -> Bool {
    setUp(self)
    guard scheduler.run(clients) else { return false }
    let isKnown = exploration?.isKnown ?? false
    if !isKnown { checkAtRest() }
    guard scheduler.run([{ self.releasePublisher() }]) else { return false }
    if !isKnown { checkAtEnd() }
    return true
  }

  /// Releases everything.
  func end() {
    clients = []
    for inbox in inboxes { (inbox.subscriber, inbox.reaction, inbox.members) = (nil, nil, []) }
    (members, named) = ([], [:])
  }
}

/// Numbers, jobs and tasks.
extension Simulation {
  func draw(_ bound: Int) -> Int { scheduler.draw(bound) }

  /// A number that is used only once.
  func makeNumber() -> Int {
    numbers += 1
    return numbers
  }

  func makeQueue(
    _ width: StandInQueue.Width, isInterrupted: Bool = true, deliveriesAtATime: Int = 256
  ) -> StandInQueue {
    let queue = StandInQueue(scheduler, width, isInterrupted: isInterrupted, deliveriesAtATime: deliveriesAtATime)
    queues.append(queue)
    return queue
  }

  func task(_ body: @escaping @Sendable () async -> Void) {
    openTasks += 1
    Task(executorPreference: tasks) {
      await body()
      self.openTasks -= 1
    }
  }

  var hasJob: Bool { queues.contains { $0.isReady } }

  /// Runs one job on the calling strand.
  func runJob() {
    let ready = queues.filter(\.isReady)
    ready[draw(ready.count)].runOne()
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
