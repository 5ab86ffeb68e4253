import SubPub

/// The error that a ``Recorder`` throws if the expected states don't arrive in time.
public struct RecorderTimeout: Error, Hashable {
  /// The expected event: `3 states`.
  public let expectation: String
  /// How long the test waited.
  public let limit: Duration
  /// The number of states that had been recorded at the limit.
  public let count: Int
  /// Descriptions of the last few of these states, the oldest first.
  public let lastStates: [String]
  /// The file of the call, as module and file name.
  public let fileID: String
  /// The line of the call.
  public let line: Int
}

extension RecorderTimeout: CustomStringConvertible {
  /// The expected event, the limit, and the place of the call, and the states that had arrived instead.
  public var description: String {
    "Waited \(limit) for \(expectation) (\(fileID):\(line)); \(arrived)"
  }

  private var arrived: String {
    switch count {
    case 0: "no state had arrived"
    case lastStates.count: "\(count) had arrived: \(listed)"
    default: "\(count) had arrived, the last of them: \(listed)"
    }
  }

  private var listed: String { lastStates.joined(separator: ", ") }
}

extension RecorderTimeout {
  private static let shown = 5
  private static let width = 200

  /// Creates the error with shortened descriptions of the last states, which runs the values' own code.
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
