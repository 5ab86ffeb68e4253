#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Why the operating system refused, in its own words: `no such file or directory`.
struct SystemError: Error, Hashable, CustomStringConvertible {
  let code: Int32

  /// Of the call that failed just now on this thread.
  static var last: SystemError { SystemError(code: errno) }

  var description: String {
    guard let words = unsafe strerror(code) else { return "error \(code)" }
    let text = unsafe String(cString: words)
    return text.prefix(1).lowercased() + text.dropFirst()
  }
}
