extension Double {
  /// As /proc/loadavg prints them. Without Foundation there is no `String(format:)`.
  var twoDecimals: String {
    guard let hundredths = Int(exactly: (self * 100).rounded()), hundredths >= 0 else { return description }
    let fraction = hundredths % 100
    return "\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction)"
  }
}
