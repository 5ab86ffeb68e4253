/// One history: stand-ins whose jobs wait to be drawn, and what went wrong.
///
/// Only accessed by the strand that has the turn, or by the scheduler's caller while no strand has it.
class SimulatedHistory: @unchecked Sendable {
  let scheduler: Scheduler
  var problems: [String] = []
  /// Tasks that haven't ended.
  var openTasks = 0
  private var queues: [StandInQueue] = []
  private var numbers = 0
  /// The executor of tasks.
  private(set) lazy var tasks = makeQueue(width, isInterrupted: false)
  private let width: StandInQueue.Width

  init(_ scheduler: Scheduler, tasks width: StandInQueue.Width) {
    (self.scheduler, self.width) = (scheduler, width)
    scheduler.reset()
  }

  /// Runs and checks it; returns false if it never ends.
  func play() -> Bool { true }

  /// Whether operations of different clients overlap.
  var overlaps: Bool { false }

  /// Releases everything.
  func end() {}

  final func draw(_ bound: Int) -> Int { scheduler.draw(bound) }

  /// A number that is used only once.
  final func makeNumber() -> Int {
    numbers += 1
    return numbers
  }

  final func makeQueue(
    _ width: StandInQueue.Width, isInterrupted: Bool = true, deliveriesAtATime: Int = 256
  ) -> StandInQueue {
    let queue = StandInQueue(scheduler, width, isInterrupted: isInterrupted, deliveriesAtATime: deliveriesAtATime)
    queues.append(queue)
    return queue
  }

  @discardableResult
  final func task(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
    openTasks += 1
    return Task(executorPreference: tasks) {
      await body()
      self.openTasks -= 1
    }
  }

  final var hasJob: Bool { queues.contains { $0.isReady } }

  /// Runs one job on the calling strand.
  final func runJob() {
    let ready = queues.filter(\.isReady)
    ready[draw(ready.count)].runOne()
  }
}
