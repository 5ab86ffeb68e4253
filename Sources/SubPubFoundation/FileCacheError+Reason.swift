#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension FileCacheError.Reason {
  /// The system call that failed just now on this thread.
  static func failed(to attempt: String, _ path: String) -> Self {
    .system(attempt: attempt, path: path, code: errno)
  }

  /// Whether the system says that there is no such file or folder.
  var isMissing: Bool {
    if case .system(_, _, let code) = self { code == ENOENT } else { false }
  }
}

extension FileCacheError.Reason: CustomStringConvertible {
  /// In words, without the file and the operation.
  public var description: String {
    switch self {
    case .system(let attempt, let path, let code): "\(Self.words(code)) (\(attempt) \(path))"
    case .notAFile: "it is not a regular file"
    case .tooLarge(let limit): "it has more than the \(limit) bytes that a cache may have"
    case .damaged(let what): "it is not whole, or was never a cache: \(what)"
    case .foreign: "it is JSON, but not a SubPub cache"
    case .version(let number):
      "it has version \(number) of the format, and this library knows version \(FileCacheFormat.version)"
    case .undecodable(let what): "it holds no value of the type that is asked for: \(what)"
    case .unencodable(let what): "the value can't be encoded: \(what)"
    }
  }

  /// `no such file or directory`.
  private static func words(_ code: Int32) -> String {
    guard let words = unsafe strerror(code) else { return "error \(code)" }
    let text = unsafe String(cString: words)
    return text.prefix(1).lowercased() + text.dropFirst()
  }
}
