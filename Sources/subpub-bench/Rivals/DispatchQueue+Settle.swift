import Dispatch

extension DispatchQueue {
  /// Returns when everything that was enqueued has run.
  func settle() async {
    await withCheckedContinuation { continuation in
      async { continuation.resume() }
    }
  }
}
