import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The standard output and standard error of the program, for all threads.
///
/// On a terminal, it keeps a block of lines at the bottom, which is redrawn in place, and prints other lines above it.
/// Elsewhere, it writes lines without escape codes.
final class Console: Sendable {
  private struct State {
    var block: [String] = []
    var hasOutput = fcntl(STDOUT_FILENO, F_GETFD) >= 0
    let hasErrors = fcntl(STDERR_FILENO, F_GETFD) >= 0
  }

  /// Whether the block can be redrawn.
  let redraws: Bool
  /// Subscribers on different contexts write at the same time.
  private let state = Mutex(State())

  init() {
    signal(SIGPIPE, SIG_IGN)  // a closed pipe (`| head -1`) is an error of `write` instead
    let terminal = unsafe getenv("TERM").map { unsafe String(cString: $0) } ?? "dumb"
    redraws = isatty(STDOUT_FILENO) == 1 && terminal != "dumb"
  }

  /// Replaces the block.
  func draw(_ block: [String]) {
    state.withLock { state in
      let erasing = Self.erasing(state.block)
      state.block = block.map(\.printable)
      Self.write(erasing + Self.text(of: state.block), in: &state)
    }
  }

  /// Leaves the block on the screen; later lines go below it.
  func leaveBlock() {
    state.withLock { state in
      Self.write(Self.erasing(state.block) + Self.text(of: state.block), in: &state)
      state.block = []
    }
  }

  /// Prints a line.
  func print(_ line: String) {
    state.withLock { state in
      Self.write(Self.erasing(state.block) + line.printable + "\n" + Self.text(of: state.block), in: &state)
    }
  }

  /// Prints a line on standard error, with the name of the program.
  func report(_ line: String) {
    state.withLock { state in
      Self.write(Self.erasing(state.block), in: &state)
      Self.reportError(line, in: state)
      Self.write(Self.text(of: state.block), in: &state)
    }
  }

  /// Writes to standard output; if that fails, the program continues without it.
  private static func write(_ text: String, in state: inout State) {
    guard state.hasOutput else { return }
    do {
      try OpenFile.send(text, to: STDOUT_FILENO)
    } catch {
      state.hasOutput = false
      if error.code != EPIPE { reportError("cannot write to standard output: \(error)", in: state) }
    }
  }

  private static func reportError(_ line: String, in state: borrowing State) {
    guard state.hasErrors else { return }
    do {
      try OpenFile.send("subpub-demo: \(line.printable)\n", to: STDERR_FILENO)
    } catch {
      // There is no other stream to report this on.
    }
  }

  /// Returns the codes that move to the block's first line and clear everything below, including an echoed `^C`.
  private static func erasing(_ block: [String]) -> String {
    block.isEmpty ? "" : "\u{1B}[\(block.count)A\r\u{1B}[J"
  }

  /// Returns the block as text, without wrapping, so that an overlong line still counts as one.
  private static func text(of block: [String]) -> String {
    block.isEmpty ? "" : "\u{1B}[?7l" + block.map { $0 + "\n" }.joined() + "\u{1B}[?7h"
  }
}

extension String {
  /// The text in one line and without control characters; a file's name may contain any of them.
  var printable: String {
    let shown = unicodeScalars.map { $0.properties.generalCategory == .control ? "?" : $0 }
    return String(String.UnicodeScalarView(shown))
  }
}
