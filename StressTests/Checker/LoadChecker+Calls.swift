import SubPub

/// The calls of the loader, and who waits for them (5.03, 5.04, 5.07).
extension LoadChecker {
  /// Where nothing overtakes a load, each call follows the one before, and the last of each load is published.
  mutating func checkCalls() {
    guard course.mix.isShared else { return }
    var failures = 0
    let calls = course.calls.enumerated().sorted { $0.element.begin < $1.element.begin }
    for (first, second) in zip(calls, calls.dropFirst()) {
      expect(
        first.element.end <= second.element.begin, "5.03", "the calls \(first.offset) and \(second.offset) run at once")
    }
    for (number, call) in calls {
      switch call.outcome {
      case .answered:
        failures = 0
        expect(published[number] != nil, "5.03", "what call \(number) has brought was never published")
      case .refused:
        failures += 1
        let isLast = failures == course.attempts
        expect(
          (published[number] != nil) == isLast, "5.07",
          "call \(number) failed as number \(failures) of \(course.attempts)")
        if isLast { failures = 0 }
      case .cancelled: expect(false, "5.05", "call \(number) was cancelled, and nobody had given up")
      case .open: break
      }
    }
  }

  mutating func checkWaits() {
    for wait in course.waits {
      if let ticket = wait.ticket { expect(published[ticket] != nil, "5.03", "\(wait) has what was never published") }
      // Whoever waits for a load of his own gets what was asked for since.
      let source = wait.refusal ?? wait.ticket
      let isForced = course.mix.isDisjoint(with: [.cancel, .logout, .foreign]) && wait.operation == .force
      if isForced, wait.phase != .loading, let source {
        expect(course.calls[source].begin >= wait.begin, "5.04", "\(wait) has what was asked for before")
      }
      // A list that is complete is returned as it is.
      guard course.mix.isShared, wait.operation == .refresh else { continue }
      let isEnded = wait.phase == .loaded || wait.phase == .error
      expect(isEnded, "5.03", "\(wait) has no result")
      if let source {
        expect(published[source, default: 0] > wait.version, "5.03", "\(wait) has an old result")
      }
    }
  }
}
