/// A suspended task.
///
/// It carries no value: ThreadSanitizer doesn't see how the runtime hands one over. What the task is to find is
/// left for it under a lock.
@safe
struct Suspension: Sendable {
  private let continuation: UnsafeContinuation<Void, Never>

  /// Suspends the caller until someone resumes what `body` is given.
  static func suspend(_ body: (Suspension) -> Void) async {
    unsafe await withUnsafeContinuation { unsafe body(Suspension(continuation: $0)) }
  }

  /// Lets the task go on. To be called once, and not under a lock: its executor may run it at once.
  func resume() { unsafe continuation.resume() }
}
