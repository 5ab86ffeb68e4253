/// A number of bytes that prints as people read it: `734 bytes`, `3.07 MiB`.
struct ByteCount: Hashable, Sendable, Codable, CustomStringConvertible {
  let bytes: Int

  init(_ bytes: Int) { self.bytes = bytes }

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
