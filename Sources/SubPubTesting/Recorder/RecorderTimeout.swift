import SubPub

/// What a recorder throws when that which was waited for did not come in time. Its description tells the whole story.
public struct RecorderTimeout: Error, Hashable {
  /// What was waited for: `3 states`.
  public let expectation: String
  /// How long it was waited for.
  public let limit: Duration
  /// How many states had been recorded when the time was up.
  public let count: Int
  /// The last few of those states, described, the oldest first.
  public let lastStates: [String]
  /// The file of the call, as module and file name.
  public let fileID: String
  /// The line of the call.
  public let line: Int
}

extension RecorderTimeout: CustomStringConvertible {
  /// What was waited for, how long and where, and what had come instead.
  public var description: String {
    "Waited \(limit) for \(expectation) (\(fileID):\(line)); \(whatCame)"
  }

  private var whatCame: String {
    switch count {
    case 0: "no state had come"
    case lastStates.count: "\(count) had come: \(listed)"
    default: "\(count) had come, the last of them: \(listed)"
    }
  }

  private var listed: String { lastStates.joined(separator: ", ") }
}

extension RecorderTimeout {
  private static let shown = 5
  private static let width = 200

  /// Describes the last of the states that had come, shortened. Runs the values' own descriptions.
  init<Value>(_ expectation: Expectation, states: [LoadState<Value>]) {
    self.init(
      expectation: expectation.text, limit: expectation.limit, count: states.count,
      lastStates: states.suffix(Self.shown).map { state in
        let text = String(describing: state)
        return text.count > Self.width ? text.prefix(Self.width) + "…" : text
      },
      fileID: expectation.fileID, line: expectation.line)
  }
}
