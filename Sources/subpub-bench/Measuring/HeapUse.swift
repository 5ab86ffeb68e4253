#if canImport(Glibc)
  import Glibc
#endif

/// The number of bytes in use on the heap, from glibc's own accounts.
///
/// Unlike the resident size, it doesn't include the allocator's reserve.
enum HeapUse {
  /// The number of bytes in use; nil if it isn't available.
  static var bytes: Int? {
    guard let account else { return nil }
    // One line for each arena, and the totals at the end: the memory from the system, and the part of it that is free.
    var amounts: [String: Int] = [:]
    for line in account.split(separator: "\n") {
      let quoted = line.split(separator: "\"", omittingEmptySubsequences: false)
      // <total type="rest" count="3" size="512"/>
      guard quoted.count > 3, let size = Int(quoted[quoted.count - 2]) else { continue }
      amounts["\(quoted[0].dropFirst()) \(quoted[1])"] = size
    }
    guard let system = amounts["system type= current"], let fast = amounts["total type= fast"],
      let rest = amounts["total type= rest"], let mapped = amounts["total type= mmap"]
    else { return nil }
    return system - fast - rest + mapped
  }

  static var isMeasured: Bool { bytes != nil }

  /// Returns the number of bytes by which the heap grows while the body runs.
  static func growth(_ body: () async -> Void) async -> Int {
    let before = bytes ?? 0
    await body()
    return (bytes ?? 0) - before
  }

  #if canImport(Glibc)
    /// The output of `malloc_info`, which is looked up because its header is in no module.
    private static var account: String? {
      typealias WriteAccount = @convention(c) (Int32, UnsafeMutablePointer<FILE>) -> Int32
      guard let address = unsafe dlsym(nil, "malloc_info") else { return nil }
      let writeAccount = unsafe unsafeBitCast(address, to: WriteAccount.self)
      var text: UnsafeMutablePointer<CChar>?
      var length = 0
      guard let stream = unsafe open_memstream(&text, &length) else { return nil }
      let status = unsafe writeAccount(0, stream)
      unsafe fclose(stream)
      defer { unsafe free(text) }
      guard status == 0, let text = unsafe text else { return nil }
      return unsafe String(cString: text)
    }
  #else
    private static var account: String? { nil }
  #endif
}
