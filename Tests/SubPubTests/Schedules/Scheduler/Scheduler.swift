import Dispatch
import Foundation
import SubPub
import Support

/// Runs threads as coroutines, which yield only at scheduling points, so that the decider alone determines what
/// happens.
///
/// Only accessed by the strand that has the turn, or by the thread that called `run` while no strand has it; the
/// semaphores that pass the turn on order the accesses.
final class Scheduler: @unchecked Sendable {
  private var strands: [Strand] = []
  private(set) var running: Strand?
  private let decider: any Decider
  private let idle = DispatchSemaphore(value: 0)
  var trace = Trace()

  /// The history whose jobs the workers run.
  private var history: SimulatedHistory?
  /// How many strands run jobs for all clients.
  private let workers: Int
  private var isEnding = false
  /// The objects of which a strand holds the turn.
  private var turns: Set<Int> = []
  private var objects = 0

  /// How many clients a history has at most.
  static let clients = 4

  init(_ decider: any Decider, workers: Int) {
    self.decider = decider
    self.workers = workers
    let processor = Strand.nextProcessor
    for number in 0..<(workers + Self.clients) {
      strands.append(Strand(number: number, on: processor) { self.finish() })
    }
    for worker in strands.prefix(workers) { worker.prepare { self.work(worker) } }
    // All workers wait for work before the first history, as they do before the next ones.
    _ = run([])
  }

  /// Runs jobs on a strand until the scheduler ends.
  private func work(_ worker: Strand) {
    while true {
      worker.isIdle = true
      wait { self.isEnding || self.history?.hasJob == true }
      worker.isIdle = false
      if isEnding { return }
      operation(isJob: true) { history?.runJob() }
    }
  }

  /// Forgets the previous history.
  func reset() {
    trace = Trace()
    objects = 0
    for strand in strands { (strand.objects, strand.operations, strand.depth) = (0, 0, 0) }
  }

  /// Runs and checks a history; returns false if it never ends.
  func play(_ history: SimulatedHistory) -> Bool {
    self.history = history
    return history.play()
  }

  /// From zero up to, but not including, `bound`.
  func draw(_ bound: Int) -> Int { decider.draw(bound) }

  /// Runs the clients and the workers until no strand can go on.
  ///
  /// - Returns: False if a strand keeps its turn, because it is blocked forever.
  func run(_ clients: [() -> Void]) -> Bool {
    for (strand, client) in zip(strands.dropFirst(workers), clients) { strand.prepare(client) }
    finish()
    return TestLimit.wait { idle.wait(timeout: $0) }
  }

  private static let threads = DispatchSemaphore(value: ProcessInfo.processInfo.activeProcessorCount)

  /// Runs the body on a thread of its own.
  ///
  /// At most one for each processor runs at a time, because other tests need processors, too.
  static func onThread<R: Sendable>(_ body: @escaping @Sendable () -> R) async -> R {
    await onOwnThread {
      threads.wait()
      defer { threads.signal() }
      return body()
    }
  }

  /// Ends the threads.
  func end() {
    (history, isEnding) = (nil, true)
    _ = run([])
    for strand in strands { strand.goOn() }
  }
}

/// The points at which strands yield.
extension Scheduler {
  /// Adds an event of the running strand, and returns its step.
  @discardableResult
  func note(_ kind: Trace.Kind, _ subject: Int = 0, _ detail: Int = 0) -> Int {
    trace.note(kind, subject, detail, by: running?.number ?? -1)
  }

  /// A step of foreign code, before which other strands may run; does nothing if no strand runs.
  func point() {
    guard decider.interruptsForeignCode, let strand = disturbable else { return }
    yield(strand)
  }

  /// A step at an object that strands share, before which other strands may run.
  func step(at object: Int, isWrite: Bool = true) {
    guard let strand = disturbable else { return }
    yield(strand)
    decider.note(strand: strand.number, object: object, isWrite: isWrite)
  }

  /// Tells the decider that the running client does the same as others.
  func joinTwins() { if let running { decider.joinTwins(strand: running.number) } }

  /// Runs an operation of a client, or a job; inside another one it is a part of that.
  func operation(isJob: Bool = false, _ body: () -> Void) {
    guard let strand = running, strand.isRunningHere else { return body() }
    if strand.depth == 0 {
      // A job is identified by what it does, not by its worker.
      if !isJob { strand.operations += 1 }
      decider.forget(strand: strand.number, operation: isJob ? 0 : strand.operations)
    }
    strand.depth += 1
    body()
    strand.depth -= 1
    if isJob { decider.forget(strand: strand.number, operation: 0) }
  }

  /// A step at an object, before which no other strand runs.
  func touch(_ object: Int, isWrite: Bool = true) {
    if let running { decider.note(strand: running.number, object: object, isWrite: isWrite) }
  }

  /// A number for an object of the running strand, the same in every history in which the strand does the same.
  func makeObject() -> Int {
    guard let strand = running else {
      // Before the strands begin.
      objects += 1
      return objects
    }
    strand.objects += 1
    return (strand.number + 1) << 16 | strand.objects
  }

  // In release builds the library has no scheduling points.
  #if DEBUG
    /// The scheduling points of a publisher.
    var schedulingPoints: SchedulingPoint.Maker {
      SchedulingPoint.Maker {
        let object = self.makeObject()
        return SchedulingPoint { self.reach($0, at: object) }
      }
    }

    private func reach(_ step: SchedulingPoint.Step, at object: Int) {
      switch step {
      case .turnBegins:
        self.step(at: object)
        guard let strand = running, strand.isRunningHere else { return }
        if turns.contains(object) { wait { !self.turns.contains(object) } }
        turns.insert(object)
        // It may have waited.
        decider.note(strand: strand.number, object: object, isWrite: true)
      case .turnEnded:
        if running?.isRunningHere == true { turns.remove(object) }
      case .read: self.step(at: object, isWrite: false)
      case .write: self.step(at: object)
      case .weakLoad: self.step(at: Self.subscribers, isWrite: false)
      case .spin: break
      }
    }
  #endif

  /// All subscribers, as one object.
  static let subscribers = 0

  private var disturbable: Strand? {
    guard let strand = running, !strand.isUndisturbed else { return nil }
    precondition(strand.isRunningHere, "A thread runs code of a simulation, but isn't scheduled")
    return strand
  }

  /// Lets other strands run until the condition holds and this one is chosen.
  private func wait(until condition: @escaping () -> Bool) {
    guard let strand = running else { return }
    strand.condition = condition
    yield(strand)
    strand.condition = nil
  }

  /// Runs the body without a scheduling point, once no strand holds a turn that it may need.
  func undisturbed(_ body: () -> Void) {
    if !turns.isEmpty { wait { self.turns.isEmpty } }
    running?.isUndisturbed = true
    body()
    running?.isUndisturbed = false
  }

  private func yield(_ strand: Strand) {
    let next = chosen(running: strand)
    if next === strand { return }
    give(to: next)
    strand.waitForTurn()
  }

  /// The strand that had the turn has finished, or there was none.
  private func finish() { give(to: chosen(running: nil)) }

  private func give(to next: Strand?) {
    running = next
    if let next { next.goOn() } else { idle.signal() }
  }

  private func chosen(running: Strand?) -> Strand? {
    var (ready, hasIdle) = ([Int](), false)
    for strand in strands where strand.canGoOn {
      // Idle workers are all the same.
      if strand.isIdle, hasIdle { continue }
      if strand.isIdle { hasIdle = true }
      ready.append(strand.number)
    }
    guard ready.count > 1 else { return ready.first.map { strands[$0] } }
    return strands[decider.next(of: ready, running: running.flatMap { $0.canGoOn ? $0.number : nil })]
  }
}
