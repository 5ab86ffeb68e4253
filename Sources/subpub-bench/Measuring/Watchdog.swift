import Foundation
import Synchronization

/// Ends the program when a row takes too long: what is lost may be waited for in vain.
///
/// Its thread is needed anyway: in a process that has only one, glibc elides locks, and every figure flatters.
final class Watchdog: Sendable {
  private struct Watch {
    let row: String
    let end: ContinuousClock.Instant
  }

  private let watch = Mutex<Watch?>(nil)

  /// - Parameter bark: Called when a row is late, with its name.
  func start(bark: @escaping @Sendable (String) -> Void) {
    let thread = Thread {
      while true {
        sleep(1)
        let late = self.watch.withLock { watch in
          watch.flatMap { $0.end < .now ? $0.row : nil }
        }
        if let late { bark(late) }
      }
    }
    thread.start()
  }

  func expect(_ row: String, within limit: Duration) {
    watch.withLock { $0 = Watch(row: row, end: .now + limit) }
  }
}
