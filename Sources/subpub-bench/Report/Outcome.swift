/// A row, and what was measured for it.
struct Outcome {
  let row: Row
  let pairs: [Pair]

  var ours: Double { pairs.map(\.ours).median }
  var rival: Double? { rivals.isEmpty ? nil : rivals.median }
  /// The median of the ratios, not the ratio of the medians: what disturbs one pair disturbs both of it.
  var ratio: Double? { ratios.isEmpty ? nil : ratios.median }

  var rivals: [Double] { pairs.compactMap(\.rival) }
  var ratios: [Double] { pairs.compactMap(\.ratio) }
}

extension Outcome {
  /// Nil without a bound, and for a row that can't be measured here. To two places, as ratios are printed, so that no
  /// bound is missed by what nobody sees.
  var isWithinBound: Bool? {
    guard !pairs.isEmpty else { return nil }
    return switch row.bound {
    case .ratio(let bound): ratio.map { $0.roundedToHundredths <= bound }
    case .figure(let bound): ours.roundedToHundredths <= bound
    case nil: nil
    }
  }
}
