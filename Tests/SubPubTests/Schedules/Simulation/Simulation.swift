import SubPub
import SubPubTesting
import Support

/// One history: a publisher, contexts whose jobs wait to be drawn, clients, and what they did and saw.
///
/// Only accessed by the strand that has the turn, or by the campaign's thread while no strand has it.
final class Simulation: @unchecked Sendable {
  let scheduler: Scheduler
  /// Nil once it is released.
  var publisher: Publisher<Payload>?
  var livePayloads = 0
  /// Tasks that haven't ended.
  var openTasks = 0
  private(set) var clients: [() -> Void] = []
  private(set) var sources: [any JobSource] = []
  private var numbers = 0

  var operations: [ClientCall] = []
  var inboxes: [Inbox] = []
  var members: [SimulatedSubscription] = []
  var drains: [(version: UInt32, span: Span)] = []
  var problems: [String] = []
  var releasedAt: Int?
  /// The executor of tasks that wait or iterate.
  private(set) lazy var tasks: any TaskExecutor =
    isExplored ? StandInExecutor(makeQueue(.serial)) : makeManualExecutor()

  /// Whether nothing is left to chance.
  let isExplored: Bool

  private let setUp: (Simulation) -> Void

  init(_ scheduler: Scheduler, isExplored: Bool = false, playing setUp: @escaping (Simulation) -> Void = { _ in }) {
    self.setUp = setUp
    self.scheduler = scheduler
    self.isExplored = isExplored
    publisher = makePublisher()
    publisher?.neverLookForDead()
  }

  private func makePublisher() -> Publisher<Payload> {
    // Whether the clock is read is left to chance.
    let staleAfter = isExplored || draw(8) == 0 ? nil : Duration.seconds(1)
    let clock = StandInClock { self.foreignCode(.clock) }
    #if DEBUG
      return Publisher(
        staleAfter: staleAfter, clock: clock, schedulingPoints: scheduler.schedulingPoints)
    #else
      return Publisher(staleAfter: staleAfter, clock: clock)
    #endif
  }

  /// Adds a client, whose body runs on a strand of its own.
  func client(_ body: @escaping (Simulation) -> Void) { clients.append { body(self) } }

  /// Adds clients that do the same, and can't be told apart.
  func clients(_ count: Int, _ body: @escaping (Simulation) -> Void) {
    for _ in 0..<count {
      client {
        $0.scheduler.joinTwins()
        body($0)
      }
    }
  }

  /// A number that is used only once.
  func makeNumber() -> Int {
    numbers += 1
    return numbers
  }

  func makeQueue(_ width: StandInQueue.Width, deliveriesAtATime: Int = 256) -> StandInQueue {
    let queue = StandInQueue(scheduler, width, label: "stand-in", deliveriesAtATime: deliveriesAtATime)
    sources.append(queue)
    return queue
  }

  func makeManualExecutor() -> ManualExecutor {
    let jobs = ManualJobs(seed: isExplored ? nil : UInt64(scheduler.draw(1 << 32)))
    sources.append(jobs)
    return jobs.executor
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

  func draw(_ bound: Int) -> Int { scheduler.draw(bound) }

  /// Draws a policy with a bound.
  func bounded() -> BufferingPolicy { draw(3) == 0 ? .latest : .newest(1 + draw(3)) }
}

extension Simulation: SimulatedHistory {
  func play() -> Bool { play(setUp) }

  var overlaps: Bool { operations.filter { $0.effect != nil }.overlap }

  /// Runs and checks one history; returns false if it never ends.
  ///
  /// A history that is known by then isn't checked.
  func play(_ setUp: (Simulation) -> Void, isKnown: () -> Bool = { false }) -> Bool {
    setUp(self)
    guard scheduler.run(clients) else { return false }
    let isKnown = isKnown()
    if !isKnown { checkAtRest() }
    guard scheduler.run([{ self.releasePublisher() }]) else { return false }
    if !isKnown { checkAtEnd() }
    return true
  }

  var hasJob: Bool { sources.contains { $0.isReady } }

  func runJob() {
    let ready = sources.filter(\.isReady)
    ready[draw(ready.count)].runOne()
  }

  /// Releases everything.
  func end() {
    clients = []
    for inbox in inboxes {
      inbox.subscriber = nil
      inbox.reaction = nil
      inbox.members = []
    }
    members = []
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
