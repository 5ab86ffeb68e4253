#if canImport(Darwin)
  import Darwin
#endif

/// Reads the load average: from /proc/loadavg on Linux, from `getloadavg` elsewhere.
struct LoadAverageReader: Reader {
  func read() async throws -> LoadAverage {
    #if os(Linux)
      return try Self.parse(OpenFile.contents(of: "/proc/loadavg"))
    #else
      var averages = [0.0, 0.0, 0.0]
      guard unsafe getloadavg(&averages, 3) == 3 else { throw SystemError.last }
      return LoadAverage(one: averages[0], five: averages[1], fifteen: averages[2])
    #endif
  }

  /// `0.07 0.02 0.00 1/85 3470`: the averages, then processes, then the last process id.
  static func parse(_ text: String) throws(UnexpectedText) -> LoadAverage {
    let numbers = text.split(separator: " ").prefix(3).compactMap { Double($0) }
    guard numbers.count == 3 else { throw UnexpectedText(source: "/proc/loadavg") }
    return LoadAverage(one: numbers[0], five: numbers[1], fifteen: numbers[2])
  }
}
