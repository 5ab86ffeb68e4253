import Foundation
import Synchronization

/// A watchdog that ends the program when a row takes too long, as it does if a delivery was lost.
///
/// Its thread is needed anyway: in a process with only one thread, glibc elides locks, which flatters every figure.
final class Watchdog: Sendable {
  private struct Watch {
    let row: String
    let end: ContinuousClock.Instant
  }

  private let watch = Mutex<Watch?>(nil)

  /// Starts the thread, which calls `onTimeout` with the name of a row that is late.
  func start(onTimeout: @escaping @Sendable (String) -> Void) {
    let thread = Thread {
      while true {
        sleep(1)
        let late = self.watch.withLock { watch in
          watch.flatMap { $0.end < .now ? $0.row : nil }
        }
        if let late { onTimeout(late) }
      }
    }
    thread.start()
  }

  func expect(_ row: String, within limit: Duration) {
    watch.withLock { $0 = Watch(row: row, end: .now + limit) }
  }
}
