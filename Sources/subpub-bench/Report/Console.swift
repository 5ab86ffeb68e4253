import Foundation

/// The console, which prints the table on standard output, and progress and errors on standard error.
///
/// Progress is one line that is cleared, and is shown only on a terminal.
struct Console {
  private let isTerminal = isatty(STDERR_FILENO) == 1

  func print(_ line: String) {
    clear()
    FileHandle.standardOutput.write(Data("\(line)\n".utf8))
  }

  func show(progress: String) {
    if isTerminal { FileHandle.standardError.write(Data("\r\u{1B}[K\(progress)".utf8)) }
  }

  func reportError(_ line: String) {
    clear()
    FileHandle.standardError.write(Data("subpub-bench: \(line)\n".utf8))
  }

  private func clear() {
    if isTerminal { FileHandle.standardError.write(Data("\r\u{1B}[K".utf8)) }
  }
}
