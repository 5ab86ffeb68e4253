import Foundation

extension Double {
  func rounded(toPlaces places: Int) -> Double {
    let scale = pow(10, Double(places))
    return (self * scale).rounded() / scale
  }

  /// 0.35, 12.3, 1234: about three digits, whatever the size.
  var figure: String { String(format: self < 10 ? "%.2f" : self < 1_000 ? "%.1f" : "%.0f", self) }

  /// 1.20
  var ratio: String { String(format: "%.2f", self) }
}

extension [Double] {
  /// Of at least one.
  var median: Double {
    let sorted = sorted()
    return (sorted[count / 2] + sorted[(count - 1) / 2]) / 2
  }
}

extension Int {
  /// 100,000
  var grouped: String {
    var digits = String(self)
    var end = digits.count - 3
    while end > 0 {
      digits.insert(",", at: digits.index(digits.startIndex, offsetBy: end))
      end -= 3
    }
    return digits
  }
}
