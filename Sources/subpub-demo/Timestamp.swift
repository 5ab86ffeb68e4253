#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A point in time, in ISO 8601 and UTC: `2025-11-21T08:17:03.512Z`.
struct Timestamp: Hashable, Sendable, Codable, CustomStringConvertible {
  private let seconds: Int
  private let milliseconds: Int

  /// Reads a time that another process may have written, or damaged.
  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    seconds = try container.decode(Int.self, forKey: .seconds)
    milliseconds = try container.decode(Int.self, forKey: .milliseconds)
    guard (0..<1_000).contains(milliseconds) else {
      throw DecodingError.dataCorruptedError(
        forKey: .milliseconds, in: container, debugDescription: "\(milliseconds) ms aren't less than a second")
    }
  }

  init(_ time: timespec) {
    seconds = Int(time.tv_sec)
    milliseconds = Int(time.tv_nsec) / 1_000_000
  }

  static var now: Timestamp {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(time)
  }

  var description: String {
    var since1970 = time_t(seconds)
    var parts = unsafe tm()
    // A file may claim a year that the C library can't count.
    guard unsafe gmtime_r(&since1970, &parts) != nil else { return "\(seconds) s since 1970" }
    let date =
      unsafe "\(Int(parts.tm_year) + 1900)-\(padded(parts.tm_mon + 1))-\(padded(parts.tm_mday))"
    let time =
      unsafe "\(padded(parts.tm_hour)):\(padded(parts.tm_min)):\(padded(parts.tm_sec))"
    return "\(date)T\(time).\(padded(Int32(milliseconds), to: 3))Z"
  }

  private func padded(_ number: Int32, to width: Int = 2) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}
