import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The two streams that people read, for everyone who has something to say, on whichever thread.
///
/// On a terminal it keeps a block of lines at the bottom, which is redrawn in place, and lets other lines pass
/// above it. Elsewhere it writes lines, and no escape codes.
final class Console: Sendable {
  private struct State {
    var block: [String] = []
    var hasOutput = fcntl(STDOUT_FILENO, F_GETFD) >= 0
    let hasErrors = fcntl(STDERR_FILENO, F_GETFD) >= 0
  }

  /// Whether there is a block that can be redrawn.
  let redraws: Bool
  /// Subscribers on different contexts write at the same time.
  private let state = Mutex(State())

  init() {
    signal(SIGPIPE, SIG_IGN)  // a reader that went away (`| head -1`) is an error of `write`, not our end
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

  /// Leaves the block as it is; what follows goes below it.
  func leaveBlock() {
    state.withLock { state in
      Self.write(Self.erasing(state.block) + Self.text(of: state.block), in: &state)
      state.block = []
    }
  }

  /// A line of output.
  func print(_ line: String) {
    state.withLock { state in
      Self.write(Self.erasing(state.block) + line.printable + "\n" + Self.text(of: state.block), in: &state)
    }
  }

  /// A line on the stream for errors, with the name of the program.
  func report(_ line: String) {
    state.withLock { state in
      Self.write(Self.erasing(state.block), in: &state)
      Self.complain(line, in: state)
      Self.write(Self.text(of: state.block), in: &state)
    }
  }

  /// When nobody reads the output any more, or it cannot be written, the program goes on without.
  private static func write(_ text: String, in state: inout State) {
    guard state.hasOutput else { return }
    do {
      try OpenFile.send(text, to: STDOUT_FILENO)
    } catch {
      state.hasOutput = false
      if error.code != EPIPE { complain("cannot write to standard output: \(error)", in: state) }
    }
  }

  private static func complain(_ line: String, in state: borrowing State) {
    guard state.hasErrors else { return }
    do {
      try OpenFile.send("subpub-demo: \(line.printable)\n", to: STDERR_FILENO)
    } catch {
      // Nobody is left to be told.
    }
  }

  /// Up to the block's first line, and everything from there on cleared, an echoed `^C` too.
  private static func erasing(_ block: [String]) -> String {
    block.isEmpty ? "" : "\u{1B}[\(block.count)A\r\u{1B}[J"
  }

  /// Without wrapping, so that a line that is too long still counts as one.
  private static func text(of block: [String]) -> String {
    block.isEmpty ? "" : "\u{1B}[?7l" + block.map { $0 + "\n" }.joined() + "\u{1B}[?7h"
  }
}
