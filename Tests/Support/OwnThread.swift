import Foundation

/// Runs the body, which may take long or block, on a thread of its own: other tests need those of Swift's pool.
package func onOwnThread<R: Sendable>(_ body: @escaping @Sendable () -> R) async -> R {
  await withCheckedContinuation { finished in
    Thread.detachNewThread { finished.resume(returning: body()) }
  }
}
