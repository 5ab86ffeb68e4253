import SubPub
import SubPubTesting

/// One history: a publisher, contexts whose jobs wait to be drawn, clients, and what they did and saw.
///
/// Touched only by the strand that has the turn, or by the campaign's thread when there is none.
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
  var problems: [String] = []
  var releasedAt: Int?
  /// The executor of everything that waits or iterates.
  private(set) lazy var tasks: any TaskExecutor =
    isExplored ? StandInExecutor(makeQueue(.serial)) : makeManualExecutor()

  /// Nothing is left to chance.
  let isExplored: Bool

  init(_ scheduler: Scheduler, isExplored: Bool = false) {
    self.scheduler = scheduler
    self.isExplored = isExplored
    publisher = makePublisher()
    publisher?.neverLookForDead()
  }

  private func makePublisher() -> Publisher<Payload> {
    // A clock, so that it is read; whether it is called is drawn.
    let staleAfter = isExplored || draw(8) == 0 ? nil : Duration.seconds(1)
    #if DEBUG
      return Publisher(
        staleAfter: staleAfter, clock: StandInClock(simulation: self), schedulingPoints: scheduler.schedulingPoints)
    #else
      return Publisher(staleAfter: staleAfter, clock: StandInClock(simulation: self))
    #endif
  }

  /// One more client; its body runs on a strand of its own.
  func client(_ body: @escaping (Simulation) -> Void) { clients.append { body(self) } }

  /// Clients that do the same, so that nobody can tell them apart.
  func clients(_ count: Int, _ body: @escaping (Simulation) -> Void) {
    for _ in 0..<count {
      client {
        $0.scheduler.joinTwins()
        body($0)
      }
    }
  }

  /// A number that nothing else has.
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

  /// What foreign code does: it takes its time.
  func foreignCode(_ kind: Trace.Kind, _ subject: Int = 0) {
    scheduler.note(kind, subject)
    scheduler.point()
  }

  func draw(_ bound: Int) -> Int { scheduler.draw(bound) }
}

/// What the workers do.
extension Simulation {
  var hasJob: Bool { sources.contains { $0.isReady } }

  func runJob() {
    let ready = sources.filter(\.isReady)
    ready[draw(ready.count)].runOne()
  }
}

extension Simulation {
  /// Lets everything go.
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
