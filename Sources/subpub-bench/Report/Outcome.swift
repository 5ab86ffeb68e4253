/// A row and its measurements.
struct Outcome {
  let row: Row
  let pairs: [Pair]

  var ours: Double { pairs.map(\.ours).median }
  var rival: Double? { rivals.isEmpty ? nil : rivals.median }
  /// The median of the ratios.
  ///
  /// It isn't the ratio of the medians, because a disturbance of one pair affects both of its figures.
  var ratio: Double? { ratios.isEmpty ? nil : ratios.median }

  var rivals: [Double] { pairs.compactMap(\.rival) }
  var ratios: [Double] { pairs.compactMap(\.ratio) }
}

extension Outcome {
  /// Whether the row stays within its bound; nil without a bound, and for a row that can't be measured.
  ///
  /// Compared with two decimal places, as ratios are printed, so that no bound is missed by an invisible difference.
  var isWithinBound: Bool? {
    guard !pairs.isEmpty else { return nil }
    return switch row.bound {
    case .ratio(let bound): ratio.map { $0.roundedToHundredths <= bound }
    case .figure(let bound): ours.roundedToHundredths <= bound
    case nil: nil
    }
  }
}

extension [Double] {
  /// The median of at least one number.
  var median: Double {
    let sorted = sorted()
    return (sorted[count / 2] + sorted[(count - 1) / 2]) / 2
  }
}
