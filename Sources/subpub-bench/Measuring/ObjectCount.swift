import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A count of the objects that the Swift runtime allocates: instances, arrays, boxes, and closure contexts.
///
/// For Instruments, the runtime calls some of its own functions through variables. When it finds that the one for
/// allocations has changed, it sets a flag itself, and from then on retains take a detour; on Linux, Swift 6.3 has a
/// bug there that stops the program when a short string is retained (swiftlang/swift#88924). So the replacement is
/// active only while objects are counted, the code that is measured uses no strings, and no other thread is busy in the
/// meantime.
enum ObjectCount {
  private typealias Allocate = @convention(c) @Sendable (UnsafeRawPointer?, Int, Int) -> UnsafeMutableRawPointer?

  private static let count = Atomic<Int>(0)
  private static let original = unsafe allocate?.pointee

  /// Whether objects can be counted.
  ///
  /// They can't if the runtime is linked statically, or no longer has such variables: then a known number of objects
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

  /// Returns the number of objects that were allocated while the body ran.
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

  /// The flag that the runtime sets.
  private static var isReplaced: UnsafeMutablePointer<Bool>? {
    unsafe dlsym(nil, "_swift_enableSwizzlingOfAllocationAndRefCountingFunctions_forInstrumentsOnly")?
      .assumingMemoryBound(to: Bool.self)
  }
}
