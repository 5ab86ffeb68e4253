import SubPub

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The average number of running or runnable processes over 1, 5, and 15 minutes.
struct LoadAverage: Hashable, Sendable, Codable, CustomStringConvertible, JSONConvertible {
  let one: Double
  let five: Double
  let fifteen: Double

  init(one: Double, five: Double, fifteen: Double) { (self.one, self.five, self.fifteen) = (one, five, fifteen) }

  /// Reads what a cache or another process has written, which may be damaged.
  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    one = try container.decode(Double.self, forKey: .one)
    five = try container.decode(Double.self, forKey: .five)
    fifteen = try container.decode(Double.self, forKey: .fifteen)
    guard [one, five, fifteen].allSatisfy({ (0...1e9).contains($0) }) else {
      throw DecodingError.damaged("this can't be the load of a machine", at: decoder.codingPath)
    }
  }

  /// The format of the kernel: `0.07 0.02 0.00`.
  var description: String { "\(one.twoDecimals) \(five.twoDecimals) \(fifteen.twoDecimals)" }

  var json: String {
    #"{"one":\#(one.twoDecimals),"five":\#(five.twoDecimals),"fifteen":\#(fifteen.twoDecimals)}"#
  }
}

extension LoadAverage: Measured {
  /// The number of processors: with as many runnable processes, the machine is at its limit.
  static let processors = Double(max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))))

  var fraction: Double { one / Self.processors }
}

/// A reader of the load average: from /proc/loadavg on Linux, from `getloadavg` elsewhere.
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

  /// Parses `0.07 0.02 0.00 1/85 3470`: the averages, processes, and the last process identifier.
  static func parse(_ text: String) throws(UnexpectedText) -> LoadAverage {
    let numbers = text.split(separator: " ").prefix(3).compactMap { Double($0) }
    guard numbers.count == 3 else { throw UnexpectedText(source: "/proc/loadavg") }
    return LoadAverage(one: numbers[0], five: numbers[1], fifteen: numbers[2])
  }
}
