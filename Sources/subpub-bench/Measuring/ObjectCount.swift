import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Counts the objects that the Swift runtime allocates: class instances, arrays, boxes, contexts of closures.
///
/// For Instruments, the runtime has its own functions called through variables. When it finds that of allocations
/// changed, it flips a switch by itself, and retains take a detour from then on; on Linux, Swift 6.3 has a fault there
/// that stops the program when a short string is retained (swiftlang/swift#88924). So all of it is on only while objects
/// are counted, what is counted uses no strings, and no other thread is busy then.
enum ObjectCount {
  private typealias Allocate = @convention(c) @Sendable (UnsafeRawPointer?, Int, Int) -> UnsafeMutableRawPointer?

  private static let count = Atomic<Int>(0)
  private static let original = unsafe allocate?.pointee

  /// Not where the runtime is linked statically, or has no such variables any more: then a known number of objects
  /// isn't found.
  static let isMeasured = {
    let counter = CallCounter()
    var known: [WeakReference<CallCounter>] = []
    known.reserveCapacity(100)
    let counted = during {
      for _ in 0..<100 { known.append(WeakReference(counter)) }
    }
    return counted == known.count
  }()

  /// The objects that were allocated while the body ran.
  static func during(_ body: () -> Void) -> Int {
    guard let original = unsafe original, let allocate = unsafe allocate, let isReplaced = unsafe isReplaced else {
      return 0
    }
    let before = count.load(ordering: .relaxed)
    unsafe allocate.pointee = { metadata, size, alignment in
      ObjectCount.count.add(1, ordering: .relaxed)
      return unsafe ObjectCount.original?(metadata, size, alignment)
    }
    body()
    unsafe allocate.pointee = original
    unsafe isReplaced.pointee = false
    return count.load(ordering: .relaxed) - before
  }

  private static var allocate: UnsafeMutablePointer<Allocate>? {
    unsafe dlsym(nil, "_swift_allocObject")?.assumingMemoryBound(to: Allocate.self)
  }

  /// The switch.
  private static var isReplaced: UnsafeMutablePointer<Bool>? {
    unsafe dlsym(nil, "_swift_enableSwizzlingOfAllocationAndRefCountingFunctions_forInstrumentsOnly")?
      .assumingMemoryBound(to: Bool.self)
  }
}
