import Foundation
import Synchronization

/// A processor to keep all strands on: a switch between them takes a quarter of the time then, as no other processor
/// has to be woken. Where the C library or the system doesn't let it, nothing happens.
struct Processor: Sendable {
  private let number: Int

  private static let given = Atomic<Int>(0)

  /// A different one each time, for a scheduler and its strands.
  static var next: Processor {
    Processor(number: given.add(1, ordering: .relaxed).oldValue % ProcessInfo.processInfo.activeProcessorCount)
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
