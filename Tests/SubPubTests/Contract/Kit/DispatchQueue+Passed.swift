import Dispatch

extension DispatchQueue {
  /// Returns when everything that was on the queue has run.
  func passed() async {
    await withCheckedContinuation { passed in async { passed.resume() } }
  }
}
