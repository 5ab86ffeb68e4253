import Foundation

extension URL {
  /// The path that the system is told. Nil if no system can have it: it is empty, has a NUL, or isn't UTF-8.
  ///
  /// An encoded slash stays encoded: as a slash it would end the name of a folder.
  var systemPath: String? {
    let url = absoluteURL
    // C would cut the path there, and files with different names would be one.
    guard !url.path(percentEncoded: true).contains("%00") else { return nil }
    let path = unsafe url.withUnsafeFileSystemRepresentation { bytes in
      unsafe bytes.flatMap { unsafe String(validatingCString: $0) }
    }
    return path?.isEmpty == false ? path : nil
  }
}
