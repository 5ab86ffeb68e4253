import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The standard output and standard error of the program, line by line, for all threads.
///
/// While a screen is shown, it holds lines back, because they would damage it; the screen shows the most recent ones.
final class Console: Sendable {
  private enum Stream { case output, errors }

  private struct State {
    var isHolding = false
    var held: [(stream: Stream, line: String)] = []
    var left = 0
    var hasOutput = fcntl(STDOUT_FILENO, F_GETFD) >= 0
    let hasErrors = fcntl(STDERR_FILENO, F_GETFD) >= 0
  }

  /// Subscribers on different contexts write at the same time.
  private let state = Mutex(State())

  init() {
    signal(SIGPIPE, SIG_IGN)  // a closed pipe (`| head -1`) is an error of `write` instead
  }

  /// Prints a line.
  func print(_ line: String) { state.withLock { Self.add(line.printable, to: .output, in: &$0) } }

  /// Prints a line on standard error, with the name of the program.
  func report(_ line: String) { state.withLock { Self.add(line.printable, to: .errors, in: &$0) } }

  /// The most recent lines that are held back.
  var recent: [String] { state.withLock { $0.held.suffix(3).map(\.line) } }

  /// Holds lines back from now on.
  func hold() { state.withLock { $0.isHolding = true } }

  /// Prints what was held back, and everything from now on.
  func release() {
    state.withLock { state in
      state.isHolding = false
      if state.left > 0 { Self.write("\(state.left) earlier lines were left out", to: .errors, in: &state) }
      for (stream, line) in state.held { Self.write(line, to: stream, in: &state) }
      (state.held, state.left) = ([], 0)
    }
  }

  private static func add(_ line: String, to stream: Stream, in state: inout State) {
    guard state.isHolding else { return write(line, to: stream, in: &state) }
    state.held.append((stream, line))
    if state.held.count > 1_000 {
      state.left += 500
      state.held.removeFirst(500)
    }
  }

  /// Writes to a stream; if that fails for standard output, the program continues without it.
  private static func write(_ line: String, to stream: Stream, in state: inout State) {
    switch stream {
    case .output where state.hasOutput:
      do {
        try OpenFile.send(line + "\n", to: STDOUT_FILENO)
      } catch {
        state.hasOutput = false
        if error.code != EPIPE { write("cannot write to standard output: \(error)", to: .errors, in: &state) }
      }
    case .errors where state.hasErrors:
      do {
        try OpenFile.send("subpub-demo: \(line)\n", to: STDERR_FILENO)
      } catch {
        // There is no other stream to report this on.
      }
    default: break
    }
  }
}

/// Reports messages that tend to repeat, such as those of a full disk: each only if it differs from the last one.
final class ChangeReporter: Sendable {
  private let console: Console
  private let last = Mutex("")

  init(_ console: Console) { self.console = console }

  func report(_ text: String) {
    let isNew = last.withLock { last in
      defer { last = text }
      return last != text
    }
    if isNew { console.report(text) }
  }
}
