/// What a run says as a whole.
struct Verdict: Encodable {
  static let statusOfVoid: Int32 = 3

  let withBound: Int
  let missed: [String]
  /// Why nothing of it counts.
  let void: String?

  init(_ outcomes: [Outcome]) {
    withBound = outcomes.count { $0.isWithinBound != nil }
    missed = outcomes.filter { $0.isWithinBound == false }.map(\.row.title)
    void = Floor(outcomes).fault
  }

  var lines: [String] {
    var lines = ["\(missed.count) of \(withBound) rows with a bound miss it\(missed.isEmpty ? "" : ":")"]
    lines += missed.map { "  \($0)" }
    if let void { lines.append("VOID: \(void)") }
    return lines
  }

  var exitStatus: Int32 { void != nil ? Self.statusOfVoid : missed.isEmpty ? 0 : 1 }
}
