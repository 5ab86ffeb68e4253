/// The results of a run, as `--json` writes them.
struct Report: Encodable {
  struct Line: Encodable {
    let row: String
    let unit: String
    let rival: String?
    let medianOfOurs: Double?
    let medianOfRival: Double?
    let medianOfRatios: Double?
    let ours: [Double]
    let rivals: [Double]
    let ratios: [Double]
    let boundOfRatio: Double?
    let boundOfFigure: Double?
    /// Nil for a row without a bound.
    let isWithinBound: Bool?
  }

  let environment: RunEnvironment
  let verdict: Verdict
  let rows: [Line]
}

extension Report {
  init(_ outcomes: [Outcome], verdict: Verdict, in environment: RunEnvironment) {
    self.init(environment: environment, verdict: verdict, rows: outcomes.map(Line.init))
  }
}

extension Report.Line {
  init(_ outcome: Outcome) {
    let isMeasured = !outcome.pairs.isEmpty
    row = outcome.row.name
    unit = outcome.row.unit.rawValue
    rival = outcome.row.rival
    medianOfOurs = isMeasured ? outcome.ours : nil
    medianOfRival = outcome.rival
    medianOfRatios = outcome.ratio
    ours = outcome.pairs.map(\.ours)
    rivals = outcome.rivals
    ratios = outcome.ratios
    boundOfRatio = if case .ratio(let bound)? = outcome.row.bound { bound } else { nil }
    boundOfFigure = if case .figure(let bound)? = outcome.row.bound { bound } else { nil }
    isWithinBound = outcome.isWithinBound
  }
}
