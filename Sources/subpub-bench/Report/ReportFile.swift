import Foundation

/// A file for `--json` or `--chart`, opened before anything is measured and written at the end.
struct ReportFile: ~Copyable {
  private let path: String
  private let handle: FileHandle

  /// Opens the file, whose contents remain until they are replaced.
  init(path: String) throws(FileError) {
    self.path = path
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw FileError(path: path, code: errno) }
    handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  func write(_ report: Report) throws {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    try replaceContents(with: encoder.encode(report) + Data("\n".utf8))
  }

  func write(_ chart: Chart) throws { try replaceContents(with: Data(chart.svg.utf8)) }

  private func replaceContents(with data: Data) throws {
    // A pipe or a device can't be truncated.
    try? handle.truncate(atOffset: 0)
    try handle.write(contentsOf: data)
  }
}

/// The error of a file that can't be written, in the system's words.
struct FileError: Error, CustomStringConvertible {
  let path: String
  let code: Int32

  var description: String {
    let reason = unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
    return "cannot write \(path): \(reason.prefix(1).lowercased() + reason.dropFirst())"
  }
}
