import SubPub
import SubPubTesting
import Support

/// One history of the clients of one stream.
final class StreamSimulation: SimulatedHistory, @unchecked Sendable {
  /// What the clients do again and again.
  enum Part: String, Sendable {
    /// They subscribe, look whether the stream is running, and cancel. No task runs before they have finished.
    case listening
    /// They wait for the end of the stream, which ends by itself after one element.
    case waiting
  }

  /// Nil once it is released.
  private var manager: StreamManager<Int>?
  private let part: Part
  /// Has the tasks of runs, none of which begins in time.
  private let heldTasks = ManualExecutor()
  private var operations: [(begin: Int, end: Int)] = []
  /// The sequences that exist.
  fileprivate var sequences = 0

  init(_ scheduler: Scheduler, _ part: Part) {
    self.part = part
    super.init(scheduler, tasks: .concurrent)
    let executor: any TaskExecutor = part == .listening ? heldTasks : tasks
    let options = LoadingOptions<Int>(on: executor, clock: StandInClock { scheduler.point() }) { options in
      options.staleAfter = .seconds(1)
      #if DEBUG
        options.schedulingPoints = scheduler.schedulingPoints
      #endif
    }
    let manager = StreamManager(options, keepingAlive: .zero) { OneElement(simulation: self) }
    manager.publisher.neverLookForDead()
    self.manager = manager
  }

  override func play() -> Bool {
    let client = { () -> Void in
      switch self.part {
      case .listening: for _ in 0..<3 { self.listen() }
      case .waiting: self.task { for _ in 0..<2 { await self.waitForEnd() } }
      }
    }
    guard scheduler.run(Array(repeating: client, count: Scheduler.clients)) else { return false }
    check()
    return true
  }

  override var overlaps: Bool {
    let sorted = operations.sorted { $0.begin < $1.begin }
    return zip(sorted, sorted.dropFirst()).contains { $0.end > $1.begin }
  }

  override func end() {
    manager = nil
    heldTasks.runAll()
  }

  private func check() {
    if openTasks > 0 { problems.append("5.21: \(openTasks) clients never end") }
    if manager?.isRunning == true { problems.append("5.21: the stream runs, and nobody listens") }
    if sequences > 0 { problems.append("5.21: a sequence exists at the end") }
  }

  private func listen() {
    guard let manager else { return }
    let begin = scheduler.note(.subscribe)
    scheduler.point()
    let listener = manager.publisher.observe(on: .immediate) { _ in }
    scheduler.point()
    if !manager.isRunning { problems.append("5.21: the stream doesn't run when its listener has subscribed") }
    scheduler.note(.read)
    scheduler.point()
    listener.cancel()
    operations.append((begin, scheduler.note(.returned, begin)))
    scheduler.point()
  }

  private func waitForEnd() async {
    guard let manager else { return }
    let begin = scheduler.note(.drain)
    scheduler.point()
    do { try await manager.waitForEnd() } catch { problems.append("5.21: waitForEnd() throws \(error)") }
    operations.append((begin, scheduler.note(.returned, begin)))
    scheduler.point()
  }
}

/// A sequence of one element, which takes its time.
private struct OneElement: AsyncSequence {
  let simulation: StreamSimulation

  func makeAsyncIterator() -> Iterator { Iterator(simulation: simulation) }

  final class Iterator: AsyncIteratorProtocol {
    private let simulation: StreamSimulation
    private var isOver = false

    init(simulation: StreamSimulation) {
      self.simulation = simulation
      simulation.sequences += 1
      if simulation.sequences > 1 { simulation.problems.append("5.21: two sequences exist at once") }
    }

    deinit { simulation.sequences -= 1 }

    func next() async throws -> Int? {
      for _ in 0..<simulation.draw(3) { await Task.yield() }
      defer { isOver = true }
      return isOver ? nil : simulation.makeNumber()
    }
  }
}
