/// Makes a delivery take a while, so that something may happen meanwhile.
enum Pause {
  /// Up to 4 microseconds, as the number says.
  static func short(_ number: UInt32) { of(UInt64(number % 8) * 500) }

  static func of(_ nanoseconds: UInt64) {
    let end = Stamp.now() + nanoseconds
    while Stamp.now() < end {}
  }
}
