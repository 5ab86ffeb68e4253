import Foundation
import SubPub

/// The names of the files that belong to a cache.
///
/// A cache owns the file that it was given and two more: the same name with each of these suffixes. No cache may have
/// such a name itself, so it can't be given a file of another cache.
extension CacheFile {
  static let temporarySuffix = ".subpub-new"
  static let lockSuffix = ".subpub-lock"

  /// Returns the reserved suffix that the path ends with, or nil.
  ///
  /// Two different names may still refer to one file: some file systems ignore case, treat equivalent characters as
  /// equal, skip invisible ones, or drop periods and spaces at the end. This comparison ignores all of these
  /// differences, whatever the file system does: a name that is rejected unnecessarily is easy to change.
  static func reservedSuffix(of path: String) -> String? {
    let folded = path.decomposedStringWithCompatibilityMapping.lowercased().unicodeScalars
      .filter { !$0.properties.isDefaultIgnorableCodePoint }
    // Not `hasSuffix`, which compares characters: some scalars form one `Character` with the period after them.
    let ending = folded.reversed().drop { $0 == "." || $0 == " " }
    return [temporarySuffix, lockSuffix].first { ending.starts(with: $0.unicodeScalars.reversed()) }
  }
}

extension CacheFile {
  /// Creates a reference to the file that a URL names.
  ///
  /// A URL that names no file, or a file of another cache, is a programmer error.
  init(_ url: URL, sizeLimit: Int) {
    guard url.isFileURL else {
      stopForMisuse("A FileCache was made with \(url), which names no file: give a file URL")
    }
    guard let path = url.systemPath else {
      stopForMisuse(
        "A FileCache was made with \(url), whose path is invalid: it is empty, contains a NUL, or isn't UTF-8")
    }
    guard !url.hasDirectoryPath else {
      stopForMisuse("A FileCache was made with \(url), which names a folder: give the URL of a file")
    }
    if let suffix = Self.reservedSuffix(of: path) {
      stopForMisuse(
        "A FileCache was made with \(url), whose name ends with \(suffix), a suffix reserved for files that belong to "
          + "another cache: choose a name without it")
    }
    self.init(path: path, sizeLimit: sizeLimit)
  }
}

extension URL {
  /// The path for system calls; nil if it is invalid: empty, with a NUL, or not in UTF-8.
  ///
  /// An encoded slash stays encoded: as a slash, it would end the name of a folder.
  var systemPath: String? {
    let url = absoluteURL
    // C would truncate the path there, and files with different names would become one.
    guard !url.path(percentEncoded: true).contains("%00") else { return nil }
    let path = unsafe url.withUnsafeFileSystemRepresentation { bytes in
      unsafe bytes.flatMap { unsafe String(validatingCString: $0) }
    }
    return path?.isEmpty == false ? path : nil
  }
}
