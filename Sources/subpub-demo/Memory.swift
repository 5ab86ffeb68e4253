#if canImport(Darwin)
  import Darwin
#endif

/// The memory of the machine, and the part of it that is available to programs.
struct Memory: Hashable, Sendable, Codable, CustomStringConvertible, JSONConvertible {
  let total: ByteCount
  let available: ByteCount

  private var used: ByteCount { ByteCount(max(0, total.bytes - available.bytes)) }

  var description: String { "\(used) of \(total) used, \(available) available" }

  /// The numbers of bytes.
  var json: String { #"{"total":\#(total.bytes),"available":\#(available.bytes)}"# }
}

extension Memory: Measured {
  var fraction: Double { total.bytes > 0 ? Double(used.bytes) / Double(total.bytes) : 0 }
}

/// A reader of the machine's memory: from /proc/meminfo on Linux, from `sysctl` elsewhere.
struct MemoryReader: Reader {
  func read() async throws -> Memory {
    #if os(Linux)
      return try Self.parse(OpenFile.contents(of: "/proc/meminfo"))
    #else
      let pages = try Self.system("vm.page_free_count") + Self.system("vm.page_purgeable_count")
      let available = try pages * Self.system("hw.pagesize")
      return Memory(total: ByteCount(try Self.system("hw.memsize")), available: ByteCount(available))
    #endif
  }

  /// Parses lines of the form `Name:   number kB`.
  static func parse(_ text: String) throws(UnexpectedText) -> Memory {
    var kibibytes: [Substring: Int] = [:]
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ")
      if words.count > 1, words[0].hasSuffix(":") { kibibytes[words[0].dropLast()] = Int(words[1]) }
    }
    guard let total = kibibytes["MemTotal"], let available = kibibytes["MemAvailable"] else {
      throw UnexpectedText(source: "/proc/meminfo")
    }
    return Memory(total: ByteCount(total * 1024), available: ByteCount(available * 1024))
  }

  #if canImport(Darwin)
    /// Reads a number, of which the kernel fills in 4 or 8 bytes; the rest stays zero.
    private static func system(_ name: String) throws(SystemError) -> Int {
      var number: Int64 = 0
      var size = MemoryLayout<Int64>.size
      guard unsafe sysctlbyname(name, &number, &size, nil, 0) == 0 else { throw .last }
      return Int(number)
    }
  #endif
}
