import Foundation

/// What the process has used of the machine.
struct ProcessUsage: Sendable {
  /// User and system time together.
  let seconds: Double
  /// The most that was ever resident.
  let residentMegabytes: Int

  #if canImport(Glibc)
    private static let itself = RUSAGE_SELF.rawValue
  #else
    private static let itself = RUSAGE_SELF
  #endif

  static var current: ProcessUsage {
    var usage = rusage()
    unsafe getrusage(Self.itself, &usage)
    let seconds = Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
    let rest = Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6
    return ProcessUsage(
      seconds: ((seconds + rest) * 10).rounded() / 10, residentMegabytes: Int(usage.ru_maxrss) / 1_024)
  }
}
