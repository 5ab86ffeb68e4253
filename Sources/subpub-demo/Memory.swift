/// How much memory the machine has, and how much of it a new program could still get.
struct Memory: Hashable, Sendable, Codable, CustomStringConvertible, JSONConvertible {
  let total: ByteCount
  let available: ByteCount

  private var used: ByteCount { ByteCount(max(0, total.bytes - available.bytes)) }

  var description: String { "\(used) of \(total) used, \(available) available" }

  /// In bytes.
  var json: String { #"{"total":\#(total.bytes),"available":\#(available.bytes)}"# }
}
