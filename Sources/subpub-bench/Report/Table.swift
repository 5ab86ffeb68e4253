/// The outcomes as lines of text.
enum Table {
  static let head = line(
    "row", "unit", "ours", "rival", "ratio", "(least-most)", "bound", "", "against")

  static func line(of outcome: Outcome) -> String {
    let row = outcome.row
    guard !outcome.pairs.isEmpty else { return line(row.name, row.unit.rawValue, "not measured here") }
    return line(
      row.name, row.unit.rawValue, outcome.ours.figure, outcome.rival?.figure ?? "-", outcome.ratio?.ratio ?? "-",
      spread(of: outcome.ratios), bound(of: row), mark(of: outcome), row.rival ?? "")
  }

  private static func spread(of ratios: [Double]) -> String {
    guard let least = ratios.min(), let most = ratios.max() else { return "" }
    return "(\(least.ratio)-\(most.ratio))"
  }

  private static func bound(of row: Row) -> String {
    switch row.bound {
    case .ratio(let bound): bound.ratio
    case .figure(let bound): bound.figure
    case nil: ""
    }
  }

  private static func mark(of outcome: Outcome) -> String {
    switch outcome.isWithinBound {
    case true?: "ok"
    case false?: "MISSED"
    case nil: ""
    }
  }

  private static let widths = [38, 7, 7, 7, 6, 13, 15, 6]

  private static func line(_ cells: String...) -> String {
    let columns = zip(cells, widths).map { cell, width in
      cell + String(repeating: " ", count: max(0, width - cell.count))
    }
    return (columns + cells.dropFirst(widths.count)).joined(separator: " ")
  }
}
