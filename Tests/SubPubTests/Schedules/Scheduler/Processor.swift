import Foundation

/// A processor to keep all strands on: a switch between them takes a quarter of the time then, as no other processor
/// has to be woken. Where the C library or the system doesn't let it, nothing happens.
struct Processor: Sendable {
  private let number: Int

  /// The one that the calling thread runs on.
  static var current: Processor? {
    #if canImport(Glibc)
      guard let function = unsafe dlsym(nil, "sched_getcpu") else { return nil }
      let number = unsafe unsafeBitCast(function, to: (@convention(c) () -> CInt).self)()
      return number < 0 ? nil : Processor(number: Int(number))
    #else
      return nil
    #endif
  }

  /// Keeps the calling thread there.
  func pin() {
    #if canImport(Glibc)
      typealias SetAffinity = @convention(c) (pid_t, Int, UnsafePointer<UInt64>) -> CInt
      guard let function = unsafe dlsym(nil, "sched_setaffinity") else { return }
      var mask = [UInt64](repeating: 0, count: number / 64 + 1)
      mask[number / 64] = 1 << (number % 64)
      _ = unsafe unsafeBitCast(function, to: SetAffinity.self)(0, mask.count * 8, mask)
    #endif
  }
}
