import Dispatch
import Foundation
import SubPub

/// Opens the other end of a pipe after 100 seconds, so that who waits for it fails instead of hanging.
final class OtherEnd: Sendable {
  private let isOver = DispatchSemaphore(value: 0)
  private let isLate = Locked(false)

  init(of path: String) {
    Thread.detachNewThread { [isOver, isLate] in
      guard isOver.wait(timeout: .now() + 100) == .timedOut else { return }
      isLate.withLock { $0 = true }
      _ = unsafe open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
    }
  }

  /// Ends the wait. Whether it was needed.
  func end() -> Bool {
    isOver.signal()
    return isLate.withLock { $0 }
  }
}
