/// The result of a run as a whole.
struct Verdict: Encodable {
  static let statusOfVoid: Int32 = 3

  let withBound: Int
  let missed: [String]
  /// The reason why the run is void, if it is.
  let void: String?

  init(_ outcomes: [Outcome]) {
    withBound = outcomes.count { $0.isWithinBound != nil }
    missed = outcomes.filter { $0.isWithinBound == false }.map(\.row.title)
    void = Baseline(outcomes).fault
  }

  var lines: [String] {
    var lines = ["\(missed.count) of \(withBound) rows with a bound miss it\(missed.isEmpty ? "" : ":")"]
    lines += missed.map { "  \($0)" }
    if let void { lines.append("VOID: \(void)") }
    return lines
  }

  var exitStatus: Int32 { void != nil ? Self.statusOfVoid : missed.isEmpty ? 0 : 1 }
}

/// The rows of the baseline, which show whether a run is plausible.
///
/// Machines differ in speed, but the times that a locked loop takes for a delivery to different numbers of subscribers
/// are in a fixed relation.
struct Baseline {
  /// The largest deviation of the relation of two rows.
  static let tolerance = 1.2

  /// The reason why the run is void; nil if it isn't, or if fewer than two of the rows were run.
  let fault: String?

  init(_ outcomes: [Outcome]) {
    let rows: [(name: String, figure: Double, expected: Double)] = outcomes.compactMap { outcome in
      guard let expected = outcome.row.baseline, let figure = outcome.rival else { return nil }
      return (outcome.row.name, figure, expected)
    }
    guard let high = rows.max(by: { $0.figure / $0.expected < $1.figure / $1.expected }),
      let low = rows.min(by: { $0.figure / $0.expected < $1.figure / $1.expected })
    else {
      fault = nil
      return
    }
    let relation = high.figure / low.figure
    let expected = high.expected / low.expected
    fault =
      relation / expected <= Self.tolerance
      ? nil
      : "the baseline's '\(high.name)' took \(relation.ratio) times as long as its '\(low.name)' "
        + "(\(high.figure.figure) and \(low.figure.figure) ns), where \(expected.ratio) times is normal"
  }
}
