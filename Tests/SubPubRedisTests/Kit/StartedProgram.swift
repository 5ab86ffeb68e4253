#if Redis
  import Foundation

  /// A program that this process has started.
  ///
  /// Not Foundation's `Process`, which reads beyond the end of its list of open files if there are about a thousand.
  final class StartedProgram: Sendable {
    let number: pid_t
    private let result = Locked<Int32?>(nil)

    /// Starts a program with descriptors for its input, and for all of its output.
    init(_ arguments: [String], input: Int32, output: Int32) throws {
      var actions = unsafe posix_spawn_file_actions_t()
      unsafe posix_spawn_file_actions_init(&actions)
      defer { unsafe posix_spawn_file_actions_destroy(&actions) }
      for (source, target) in [(input, STDIN_FILENO), (output, STDOUT_FILENO), (output, STDERR_FILENO)] {
        unsafe posix_spawn_file_actions_adddup2(&actions, source, target)
      }
      var words = unsafe arguments.map { unsafe strdup($0) }
      defer { unsafe words.forEach { unsafe free($0) } }
      unsafe words.append(nil)
      var number: pid_t = 0
      let code = unsafe posix_spawnp(&number, arguments[0], &actions, nil, &words, environ)
      guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .ENOENT) }
      self.number = number
    }

    deinit { _ = status(waiting: false) }

    var isRunning: Bool { status == nil }

    /// The status with which it has ended, or the signal with a minus; nil while it runs.
    var status: Int32? { status(waiting: false) }

    func waitUntilExit() { _ = status(waiting: true) }

    func signal(_ signal: Int32) {
      // Nobody else may have its number once it has ended.
      result.withLock { result in if result == nil { _ = kill(number, signal) } }
    }

    private func status(waiting: Bool) -> Int32? {
      result.withLock { result in
        var code: Int32 = 0
        if result == nil, unsafe waitpid(number, &code, waiting ? 0 : WNOHANG) == number {
          result = code & 0x7F == 0 ? (code >> 8) & 0xFF : -(code & 0x7F)
        }
        return result
      }
    }
  }
#endif
