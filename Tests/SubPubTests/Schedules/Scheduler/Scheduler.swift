import Dispatch
import SubPub
import SubPubTesting

/// What decides which strand goes on, and everything else that a history leaves open.
protocol Decider: AnyObject {
  /// Whether foreign code gives others the turn, and not only the library's own steps.
  var interruptsForeignCode: Bool { get }
  /// Which of the strands goes on. `running` is the one that has the turn, if it can go on.
  func next(of ready: [Int], running: Int?) -> Int
  /// From zero up to, but not including, `bound`.
  func draw(_ bound: Int) -> Int
  /// Nobody can tell the strand from others that do the same.
  func joinTwins(strand: Int)
  /// A strand begins something that depends on nothing it did before.
  func forget(strand: Int, operation: Int)
  /// A strand is about to take a step at an object.
  func note(strand: Int, object: Int, isWrite: Bool)
}

/// Draws everything from a seed.
final class SeededDecider: Decider {
  private var generator = SeededGenerator(seed: 0)
  /// Of four points, at how many the turn may go to another strand.
  private var restlessness = 4

  let interruptsForeignCode = true

  func seed(_ seed: UInt64) {
    generator = SeededGenerator(seed: seed)
    restlessness = 4 - draw(2) * draw(3)
  }

  func next(of ready: [Int], running: Int?) -> Int {
    if let running, draw(4) >= restlessness { return running }
    return ready[draw(ready.count)]
  }

  func draw(_ bound: Int) -> Int { Int(generator.next().multipliedFullWidth(by: UInt64(bound)).high) }

  func joinTwins(strand: Int) {}
  func forget(strand: Int, operation: Int) {}
  func note(strand: Int, object: Int, isWrite: Bool) {}
}

/// Runs threads as coroutines. A strand gives up its turn only at a scheduling point, so what happens follows from the
/// decider alone.
///
/// Touched by the strand that has the turn, or by the thread that called `run` while there is none; semaphores hand the turn
/// on, which orders the accesses.
final class Scheduler: @unchecked Sendable {
  private var strands: [Strand] = []
  private(set) var running: Strand?
  private let decider: any Decider
  private let idle = DispatchSemaphore(value: 0)
  var trace = Trace()

  /// Strands that are there for all clients.
  private let workers: Int
  private var isEnding = false
  /// The objects whose turns strands hold.
  private var turns: Set<Int> = []
  private var objects = 0

  init(_ decider: any Decider, clients: Int, workers: Int) {
    self.decider = decider
    self.workers = workers
    let processor = Processor.next
    for number in 0..<(workers + clients) {
      strands.append(Strand(number: number, on: processor) { self.finish() })
    }
  }

  /// Forgets the history before.
  func reset() {
    trace = Trace()
    objects = 0
    for strand in strands { (strand.objects, strand.operations, strand.depth) = (0, 0, 0) }
  }

  /// From zero up to, but not including, `bound`.
  func draw(_ bound: Int) -> Int { decider.draw(bound) }

  /// Has the workers do that whenever there is work, until the scheduler ends.
  func employ(_ work: @escaping () -> Void, when ready: @escaping () -> Bool) {
    for worker in strands.prefix(workers) {
      worker.prepare {
        while true {
          worker.isIdle = true
          self.wait { self.isEnding || ready() }
          worker.isIdle = false
          if self.isEnding { return }
          self.operation(isJob: true, work)
        }
      }
    }
    // All of them wait for work when the first history begins, as they do when the next ones begin.
    _ = run([])
  }

  /// Runs the clients, with the workers beside them, until nobody can go on. False if somebody doesn't give up the turn,
  /// because it is blocked for good.
  func run(_ clients: [() -> Void]) -> Bool {
    for (strand, client) in zip(strands.dropFirst(workers), clients) { strand.prepare(client) }
    finish()
    return idle.wait(timeout: Event.deadline) == .success
  }

  /// Ends the threads.
  func end() {
    isEnding = true
    _ = run([])
    for strand in strands { strand.goOn() }
  }
}

/// Where strands give up their turn.
extension Scheduler {
  /// Adds an event of the running strand, and returns its step.
  @discardableResult
  func note(_ kind: Trace.Kind, _ subject: Int = 0, _ detail: Int = 0) -> Int {
    trace.note(kind, subject, detail, by: running?.number ?? -1)
  }

  /// A step of foreign code, before which others may have their turn. Does nothing where no strand runs.
  func point() {
    guard decider.interruptsForeignCode, let strand = disturbable else { return }
    yield(strand)
  }

  /// A step at an object that strands share. Others may come first.
  func step(at object: Int, isWrite: Bool = true) {
    guard let strand = disturbable else { return }
    yield(strand)
    decider.note(strand: strand.number, object: object, isWrite: isWrite)
  }

  /// The running client does the same as others.
  func joinTwins() { if let running { decider.joinTwins(strand: running.number) } }

  /// Runs an operation of a client, or a job. Inside of another one it is a part of that.
  func operation(isJob: Bool = false, _ body: () -> Void) {
    guard let strand = running, strand.isRunningHere else { return body() }
    if strand.depth == 0 {
      // Jobs are told apart by what they do, and not by the worker that does it.
      if !isJob { strand.operations += 1 }
      decider.forget(strand: strand.number, operation: isJob ? 0 : strand.operations)
    }
    strand.depth += 1
    body()
    strand.depth -= 1
    if isJob { decider.forget(strand: strand.number, operation: 0) }
  }

  /// A step at an object before which nobody else comes.
  func touch(_ object: Int, isWrite: Bool = true) {
    if let running { decider.note(strand: running.number, object: object, isWrite: isWrite) }
  }

  /// A number for an object that the running strand makes, the same in every history in which it does the same.
  func makeObject() -> Int {
    guard let strand = running else {
      // Before the strands begin.
      objects += 1
      return objects
    }
    strand.objects += 1
    return (strand.number + 1) << 16 | strand.objects
  }

  /// The points of a publisher.
  var schedulingPoints: SchedulingPoint.Maker {
    #if DEBUG
      SchedulingPoint.Maker {
        let object = self.makeObject()
        return SchedulingPoint { self.reach($0, at: object) }
      }
    #else
      SchedulingPoint.Maker()
    #endif
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
    }
  }

  /// All subscribers, as one object.
  static let subscribers = 0

  private var disturbable: Strand? {
    guard let strand = running, !strand.isUndisturbed else { return nil }
    precondition(strand.isRunningHere, "A thread that isn't scheduled runs code of a simulation")
    return strand
  }

  /// Lets others go on until the condition holds and the strand is chosen.
  private func wait(until condition: @escaping () -> Bool) {
    guard let strand = running else { return }
    strand.condition = condition
    yield(strand)
    strand.condition = nil
  }

  /// Runs the body without a scheduling point, once nobody holds a turn that it may need.
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
      // One idle worker is as good as another.
      if strand.isIdle, hasIdle { continue }
      if strand.isIdle { hasIdle = true }
      ready.append(strand.number)
    }
    guard ready.count > 1 else { return ready.first.map { strands[$0] } }
    return strands[decider.next(of: ready, running: running.flatMap { $0.canGoOn ? $0.number : nil })]
  }
}
