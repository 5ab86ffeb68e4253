import Dispatch
import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A terminal that shows a screen and reads single keys.
///
/// The screen is the terminal's alternate screen, so that what was there before comes back. It is left whenever the
/// process ends, even in a crash, and while the process is stopped (Ctrl-Z) or in the background.
@MainActor
final class Terminal {
  /// The size in columns and lines.
  struct Size: Equatable {
    var columns = 80
    var lines = 24
  }

  /// The lines that the terminal shows, and its size; nil while it doesn't show our screen.
  private var shown: (lines: [String], size: Size)?
  /// Whether the screen was left for good.
  private var hasEnded = false
  private var keyboard: (any DispatchSourceRead)?
  private var signals: [any DispatchSourceSignal] = []
  private let pressed: AsyncStream<Character>.Continuation
  /// The keys that are pressed, for one reader.
  let keys: AsyncStream<Character>

  /// Returns nil if standard output isn't a terminal that can be redrawn.
  init?() {
    guard isatty(STDOUT_FILENO) == 1, !["", "dumb"].contains(environment("TERM")) else { return nil }
    (keys, pressed) = AsyncStream.makeStream()
    Self.restoreBeforeCrashes()
  }

  /// The current size.
  var size: Size {
    var window = winsize()
    guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0, window.ws_row > 0 else {
      return Size()
    }
    return Size(columns: Int(window.ws_col), lines: Int(window.ws_row))
  }

  /// Calls `redraw` when the size has changed, or the process continues after a stop.
  func watch(redraw: @escaping @MainActor () -> Void) {
    on(SIGWINCH, redraw)
    on(SIGCONT) { [weak self] in
      self?.shown = nil  // the shell has had the terminal since
      redraw()
    }
    on(SIGTSTP) { [weak self] in
      self?.leave()
      kill(getpid(), SIGSTOP)  // returns when the process continues
    }
  }

  private func on(_ number: Int32, _ handler: @escaping @MainActor () -> Void) {
    if number == SIGTSTP { signal(number, SIG_IGN) }  // the source receives it anyway
    let source = DispatchSource.makeSignalSource(signal: number, queue: .main)
    source.setEventHandler { MainActor.assumeIsolated(handler) }
    source.activate()
    signals.append(source)
  }

  /// Shows lines, none of which may be wider than the terminal; does nothing in the background and after the end.
  func draw(_ lines: [String], size: Size) {
    guard !hasEnded else { return }
    let terminal = isatty(STDIN_FILENO) == 1 ? STDIN_FILENO : STDOUT_FILENO
    guard tcgetpgrp(terminal) == getpgrp() else {
      stopReadingKeys()
      shown = nil
      return
    }
    var text = ""
    if shown == nil {
      Self.isShown.store(true, ordering: .relaxed)
      Self.setReadsKeys(true)
      text = Self.opening
    }
    if let shown, shown.size == size {
      if shown.lines == lines { return }
    } else {
      text += Self.clearing
    }
    shown = (lines, size)
    text += Self.home + lines.map { Self.clearingLine + $0 }.joined(separator: "\r\n")
    do {
      try OpenFile.send(text, to: STDOUT_FILENO)
    } catch {
      // The terminal is gone; the next frame tries again.
    }
    startReadingKeys()
  }

  /// Gives the terminal back for good: a key or a new size that comes late draws nothing.
  func end() {
    hasEnded = true
    leave()
  }

  private func leave() {
    stopReadingKeys()
    guard shown != nil else { return }
    shown = nil
    Self.restore()
  }

  // MARK: Keys

  private func startReadingKeys() {
    guard keyboard == nil, isatty(STDIN_FILENO) == 1 else { return }
    let source = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: .main)
    source.setEventHandler { [weak self] in MainActor.assumeIsolated { self?.readKeys() } }
    source.activate()
    keyboard = source
  }

  private func stopReadingKeys() {
    keyboard?.cancel()
    keyboard = nil
  }

  private func readKeys() {
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = unsafe read(STDIN_FILENO, &bytes, bytes.count)
    guard count > 0 else {
      if count == 0 || errno != EINTR { keyboard?.cancel() }  // nobody types any more
      return
    }
    for key in Self.letters(bytes.prefix(count)) { pressed.yield(key) }
  }

  /// Leaves out what other keys send: an escape character, and the characters that belong to it.
  ///
  /// F2, for example, sends `ESC O Q`, and an arrow with Ctrl `ESC [ 1 ; 5 C`.
  private static func letters(_ bytes: ArraySlice<UInt8>) -> [Character] {
    var letters: [Character] = []
    var rest = String(decoding: bytes, as: UTF8.self)[...]
    while let character = rest.popFirst() {
      guard character == "\u{1B}" else {
        letters.append(character)
        continue
      }
      switch rest.popFirst() {
      case "[": rest = rest.drop { !("@"..."~").contains($0) }.dropFirst()
      case "O": rest = rest.dropFirst()
      default: break
      }
    }
    return letters
  }

  /// Switches between single keys without an echo and lines as the shell wants them.
  ///
  /// Ctrl-C and Ctrl-Z remain signals.
  private nonisolated static func setReadsKeys(_ reads: Bool) {
    var modes = termios()
    guard unsafe tcgetattr(STDIN_FILENO, &modes) == 0 else { return }
    let lineModes = tcflag_t(ICANON | ECHO)
    if reads { modes.c_lflag &= ~lineModes } else { modes.c_lflag |= lineModes }
    unsafe tcsetattr(STDIN_FILENO, TCSANOW, &modes)
  }

  // MARK: The end

  /// Whether a terminal has to be given back.
  private nonisolated static let isShown = Atomic(false)

  /// Gives the terminal back if it shows our screen; may be called in a signal handler.
  private nonisolated static func restore() {
    guard isShown.exchange(false, ordering: .relaxed) else { return }
    unsafe write(STDOUT_FILENO, closing.utf8Start, closing.utf8CodeUnitCount)
    setReadsKeys(false)
  }

  /// Makes a signal give the terminal back before it ends the process.
  nonisolated static func restoreBefore(_ number: Int32) { signal(number) { Terminal.endProcess(by: $0) } }

  /// Gives the terminal back, and ends the process as a signal does; may be called in a signal handler.
  nonisolated static func endProcess(by number: Int32) {
    restore()
    var blocked = sigset_t()
    unsafe sigemptyset(&blocked)
    unsafe sigaddset(&blocked, number)
    unsafe pthread_sigmask(SIG_UNBLOCK, &blocked, nil)
    if var former = former.withLock({ $0[number] }) {
      unsafe sigaction(number, &former, nil)
      raise(number)  // returns after a backtrace
    }
    signal(number, SIG_DFL)
    raise(number)
  }

  /// What signals did before, such as printing a backtrace.
  ///
  /// Written only while the first terminal is made, so a handler never waits for the lock.
  private nonisolated static let former = Mutex<[Int32: sigaction]>([:])

  private static func restoreBeforeCrashes() {
    for number in [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS, SIGQUIT] {
      var action = sigaction()
      if unsafe sigaction(number, nil, &action) == 0 { former.withLock { [action] in $0[number] = action } }
      restoreBefore(number)
    }
  }

  // MARK: Control sequences

  /// The alternate screen, without a cursor and without wrapping.
  private static let opening = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l"
  private static nonisolated let closing: StaticString = "\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"
  private static let clearing = "\u{1B}[2J"
  private static let home = "\u{1B}[H"
  private static let clearingLine = "\u{1B}[2K"
}

/// Returns an environment variable, or the empty string.
func environment(_ name: String) -> String { unsafe getenv(name).map { unsafe String(cString: $0) } ?? "" }
