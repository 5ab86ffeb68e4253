import Foundation

extension CacheFile {
  /// The file that the URL names. A URL that names none, or a file of another cache, is a programmer error.
  init(_ url: URL, sizeLimit: Int) {
    guard url.isFileURL else {
      fatalError("A FileCache was made with \(url), which names no file: give a file URL")
    }
    guard let path = url.systemPath else {
      fatalError(
        "A FileCache was made with \(url), whose path no system can have: it is empty, has a NUL, or isn't UTF-8")
    }
    guard !url.hasDirectoryPath else {
      fatalError("A FileCache was made with \(url), which names a folder: give the URL of a file")
    }
    if let suffix = Self.reservedSuffix(of: path) {
      fatalError(
        "A FileCache was made with \(url), whose name ends with \(suffix), a suffix reserved for files that belong to "
          + "another cache: choose a name without it")
    }
    self.init(path: path, sizeLimit: sizeLimit)
  }
}
