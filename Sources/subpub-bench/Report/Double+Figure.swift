import Foundation

extension Double {
  /// 0.35, 12.3, 1234: three digits, whatever the size.
  var figure: String { String(format: self < 10 ? "%.2f" : self < 100 ? "%.1f" : "%.0f", self) }

  /// 1.20
  var ratio: String { String(format: "%.2f", self) }

  /// To two places.
  var roundedToHundredths: Double { (self * 100).rounded() / 100 }
}
