import Foundation

extension Double {
  /// The number with three significant digits, or all digits before the point: 0.35, 12.3, 1234.
  var figure: String { String(format: self < 10 ? "%.2f" : self < 100 ? "%.1f" : "%.0f", self) }

  /// The number with two decimal places: 1.20.
  var ratio: String { String(format: "%.2f", self) }

  /// The number rounded to two decimal places.
  var roundedToHundredths: Double { (self * 100).rounded() / 100 }
}

extension Int {
  /// The number with its digits in groups: 100,000.
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
