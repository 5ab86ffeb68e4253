/// The rows of the floor say whether a run can be believed. Machines differ in speed, but what a locked loop takes for a
/// delivery to so many subscribers is in a fixed relation to what it takes for one to so many others.
struct Floor {
  /// How far off the relation of two rows may be.
  static let tolerance = 1.2

  /// Why the run is void; nil if it isn't, or if fewer than two of the rows were run.
  let fault: String?

  init(_ outcomes: [Outcome]) {
    let rows: [(name: String, figure: Double, expected: Double)] = outcomes.compactMap { outcome in
      guard let expected = outcome.row.floor, let figure = outcome.rival else { return nil }
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
      : "the floor's '\(high.name)' took \(relation.ratio) times as long as its '\(low.name)' "
        + "(\(high.figure.figure) and \(low.figure.figure) ns), where \(expected.ratio) times is normal"
  }
}
