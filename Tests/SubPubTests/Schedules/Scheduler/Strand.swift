import Dispatch
import Foundation
import SubPub

/// A thread used as a coroutine: of a scheduler's strands exactly one runs, and the others wait for their turn.
///
/// Whoever has the turn touches this, and nobody else; the semaphore that hands the turn on orders the accesses.
final class Strand: @unchecked Sendable {
  let number: Int
  /// How many shared objects it has made.
  var objects = 0
  /// How many operations or jobs it has begun, and how many of them it is inside.
  var operations = 0
  var depth = 0
  /// It waits for any job, as all idle workers do.
  var isIdle = false
  /// What it waits for; nil if it can go on.
  var condition: (() -> Bool)?
  private(set) var isFinished = true
  /// Foreign code that the runtime calls under a lock of its own is no place for another strand.
  var isUndisturbed = false
  private var body: (() -> Void)?
  private let turn = DispatchSemaphore(value: 0)
  private var token = ThreadToken.current

  init(number: Int, on processor: Processor, whenFinished: @escaping @Sendable () -> Void) {
    self.number = number
    Thread.detachNewThread {
      processor.pin()
      self.live(whenFinished)
    }
  }

  private func live(_ whenFinished: () -> Void) {
    while true {
      turn.wait()
      guard let body else { return }
      token = .current
      body()
      self.body = nil
      isFinished = true
      whenFinished()
    }
  }

  var isRunningHere: Bool { token == .current }

  var canGoOn: Bool { !isFinished && (condition?() ?? true) }

  /// To be run from its first turn on.
  func prepare(_ body: @escaping () -> Void) {
    self.body = body
    isFinished = false
  }

  /// Gives it the turn; without a body it ends.
  func goOn() { turn.signal() }

  /// On its own thread, after the turn was given to another.
  func waitForTurn() { turn.wait() }
}
