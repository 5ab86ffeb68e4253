import Dispatch
import Foundation
import SubPub
import Synchronization

/// A thread that is used as a coroutine: one strand of a scheduler runs, and the others wait for their turn.
///
/// Only accessed by the strand that has the turn; the semaphore that passes the turn on orders the accesses.
final class Strand: @unchecked Sendable {
  let number: Int
  /// How many shared objects it has made.
  var objects = 0
  /// How many operations it has begun, and how many operations and jobs it is inside.
  var operations = 0
  var depth = 0
  /// It waits for any job, as all idle workers do.
  var isIdle = false
  /// The condition that it waits for; nil if it can go on.
  var condition: (() -> Bool)?
  private(set) var isFinished = true
  /// It runs code that the runtime calls under a lock of its own, so no other strand may run.
  var isUndisturbed = false
  private var body: (() -> Void)?
  private let turn = DispatchSemaphore(value: 0)
  private var token = ThreadToken.current

  init(number: Int, on processor: Int, whenFinished: @escaping @Sendable () -> Void) {
    self.number = number
    Thread.detachNewThread {
      Self.pin(to: processor)
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

  /// Sets the body to run at its next turn.
  func prepare(_ body: @escaping () -> Void) {
    self.body = body
    isFinished = false
  }

  /// Passes the turn to it; without a body it ends.
  func goOn() { turn.signal() }

  /// Waits, on its own thread, after another strand got the turn.
  func waitForTurn() { turn.wait() }

  private static let processors = Atomic<Int>(0)

  /// A processor for all strands of a scheduler, on which a switch takes a quarter of the time.
  ///
  /// No other processor has to be woken then. A different one each time.
  static var nextProcessor: Int {
    processors.add(1, ordering: .relaxed).oldValue % ProcessInfo.processInfo.activeProcessorCount
  }

  /// Keeps the calling thread on a processor, if the C library and the system support that.
  private static func pin(to processor: Int) {
    #if canImport(Glibc)
      typealias SetAffinity = @convention(c) (pid_t, Int, UnsafePointer<UInt64>) -> CInt
      guard let function = unsafe dlsym(nil, "sched_setaffinity") else { return }
      var mask = [UInt64](repeating: 0, count: processor / 64 + 1)
      mask[processor / 64] = 1 << (processor % 64)
      _ = unsafe unsafeBitCast(function, to: SetAffinity.self)(0, mask.count * 8, mask)
    #endif
  }
}
