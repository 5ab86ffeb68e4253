import Dispatch
import SubPubTesting

/// Decides from a seed which strand goes on. A strand gives up its turn only at a scheduling point, so what happens
/// follows from the seed alone.
///
/// Touched by the strand that has the turn, or by the thread that called `run` while there is none; semaphores hand it
/// on, which orders the accesses.
final class Scheduler: @unchecked Sendable {
  private var strands: [Strand] = []
  private(set) var running: Strand?
  private var generator = SeededGenerator(seed: 0)
  /// Of four points, at how many the turn may go to another.
  private var restlessness = 4
  private let idle = DispatchSemaphore(value: 0)
  var trace = Trace()

  /// Strands that are there for all clients.
  private let workers: Int
  private var isEnding = false

  init(clients: Int, workers: Int) {
    self.workers = workers
    let processor = Processor.next
    for number in 0..<(workers + clients) {
      strands.append(Strand(number: number, on: processor) { self.next() })
    }
  }

  func seed(_ seed: UInt64) {
    generator = SeededGenerator(seed: seed)
    restlessness = 4 - draw(2) * draw(3)
    trace = Trace()
  }

  /// From zero up to, and without, `bound`.
  func draw(_ bound: Int) -> Int { Int(generator.next().multipliedFullWidth(by: UInt64(bound)).high) }

  /// Has the workers do that whenever there is work, for good.
  func employ(_ work: @escaping () -> Void, when ready: @escaping () -> Bool) {
    for worker in strands.prefix(workers) {
      worker.prepare {
        while true {
          self.wait { self.isEnding || ready() }
          if self.isEnding { return }
          work()
        }
      }
    }
    // All of them wait for work when the first history begins, as they do when the next ones begin.
    _ = run([])
  }

  /// Runs the clients, with the workers beside them, until nobody can go on. False if somebody doesn't give up the turn:
  /// it is blocked for good.
  func run(_ clients: [() -> Void]) -> Bool {
    for (strand, client) in zip(strands.dropFirst(workers), clients) { strand.prepare(client) }
    next()
    return idle.wait(timeout: Event.deadline) == .success
  }

  /// Ends the threads.
  func end() {
    isEnding = true
    _ = run([])
    for strand in strands { strand.goOn() }
  }
}

extension Scheduler {
  /// Adds an event of the running strand, and says its step.
  @discardableResult
  func note(_ kind: Trace.Kind, _ subject: Int = 0, _ detail: Int = 0) -> Int {
    trace.note(kind, subject, detail, by: running?.number ?? -1)
  }

  /// A scheduling point: others may have their turn first. Does nothing where no strand runs.
  func point() {
    guard let strand = running, !strand.isUndisturbed, draw(4) < restlessness else { return }
    precondition(strand.isRunningHere, "A thread that isn't scheduled runs code of a simulation")
    next(after: strand)
  }

  /// Lets others go on until the condition holds and the strand is drawn.
  private func wait(until condition: @escaping () -> Bool) {
    guard let strand = running else { return }
    strand.condition = condition
    next(after: strand)
    strand.condition = nil
  }

  /// Runs the body without a scheduling point.
  func undisturbed(_ body: () -> Void) {
    running?.isUndisturbed = true
    body()
    running?.isUndisturbed = false
  }

  private func next(after strand: Strand) {
    let next = drawn
    if next === strand { return }
    give(to: next)
    strand.waitForTurn()
  }

  /// The one that had the turn has finished.
  private func next() { give(to: drawn) }

  private func give(to next: Strand?) {
    running = next
    if let next { next.goOn() } else { idle.signal() }
  }

  private var drawn: Strand? {
    var number = 0
    for strand in strands where strand.canGoOn { number += 1 }
    guard number > 0 else { return nil }
    var index = draw(number)
    for strand in strands where strand.canGoOn {
      if index == 0 { return strand }
      index -= 1
    }
    return nil
  }
}
