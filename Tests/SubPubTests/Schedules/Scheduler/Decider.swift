import SubPubTesting
import Support

/// Decides which strand goes on, and everything else that a history leaves open.
protocol Decider: AnyObject {
  /// Whether foreign code is interrupted, too, or only the steps of the library.
  var interruptsForeignCode: Bool { get }
  /// Chooses the strand that goes on; `running` is the one that has the turn, if it can go on.
  func next(of ready: [Int], running: Int?) -> Int
  /// From zero up to, but not including, `bound`.
  func draw(_ bound: Int) -> Int
  /// The strand does the same as others that have joined.
  func joinTwins(strand: Int)
  /// The strand begins something that doesn't depend on what it did before.
  func forget(strand: Int, operation: Int)
  /// The strand is about to take a step at an object.
  func note(strand: Int, object: Int, isWrite: Bool)
}

/// Draws everything from a seed.
final class SeededDecider: Decider {
  private var generator = SeededGenerator(seed: 0)
  /// At how many of four points another strand may get the turn.
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

  func draw(_ bound: Int) -> Int { generator.draw(bound) }

  func joinTwins(strand: Int) {}
  func forget(strand: Int, operation: Int) {}
  func note(strand: Int, object: Int, isWrite: Bool) {}
}
