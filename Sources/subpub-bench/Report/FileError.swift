import Foundation

/// Why a file can't be written, in the system's words.
struct FileError: Error, CustomStringConvertible {
  let path: String
  let code: Int32

  var description: String {
    let reason = unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
    return "cannot write \(path): \(reason.prefix(1).lowercased() + reason.dropFirst())"
  }
}
