import SubPub

/// A number of bytes, with a description for people: `734 bytes`, `3.07 MiB`.
struct ByteCount: Hashable, Sendable, Codable, CustomStringConvertible {
  let bytes: Int

  init(_ bytes: Int) { self.bytes = bytes }

  /// Reads what a cache or another process has written, which may be damaged.
  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    bytes = try container.decodeCount(forKey: .bytes)
  }

  /// Stops at the largest number: files with holes may add up to more.
  static func += (left: inout Self, right: Self) {
    let (sum, overflows) = left.bytes.addingReportingOverflow(right.bytes)
    left = ByteCount(overflows ? .max : sum)
  }

  var description: String {
    if bytes < 1024 { return "\(bytes) byte\(bytes == 1 ? "" : "s")" }
    var number = Double(bytes) / 1024
    for unit in ["KiB", "MiB", "GiB"] {
      if number < 1000 { return "\(number.twoDecimals) \(unit)" }
      number /= 1024
    }
    return "\(number.twoDecimals) TiB"
  }
}

extension Double {
  /// The number with two decimal places, as in /proc/loadavg; without Foundation there is no `String(format:)`.
  var twoDecimals: String {
    guard let hundredths = Int(exactly: (self * 100).rounded()), hundredths >= 0 else { return description }
    let fraction = hundredths % 100
    return "\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction)"
  }
}
