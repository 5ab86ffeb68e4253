import Dispatch
import SubPub
import SubPubTesting
import Testing

@Suite("Publisher: every operation, from any thread", .timeLimit(.minutes(1)))
enum PublishingTests {
  enum Failure: Error, Equatable { case offline, denied }

  /// Runs the body on that many threads, which start together, and returns when all have ended; again in each round,
  /// because threads overlap most when they have just started.
  static func race(threads: Int, rounds: Int, _ body: @escaping @Sendable (_ thread: Int) -> Void) async {
    for _ in 0..<rounds { await race(threads: threads, body) }
  }

  /// One round.
  static func race(threads: Int, _ body: @escaping @Sendable (_ thread: Int) -> Void) async {
    let start = Gate()
    await withTaskGroup { group in
      for thread in 0..<threads {
        group.addTask {
          await withCheckedContinuation { continuation in
            DispatchQueue(label: "thread \(thread)").async {
              start.pass()
              body(thread)
              continuation.resume()
            }
          }
        }
      }
      await start.waitUntilHeld(threads: threads)
      start.open()
    }
  }
}
