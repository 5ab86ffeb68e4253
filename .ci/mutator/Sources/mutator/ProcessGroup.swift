import Foundation
import Synchronization

/// A program and all that it starts, which end together.
///
/// Foundation's `Process` learns of an end only when all have ended that the program has started, and can't end those.
struct ProcessGroup {
  private let leader: pid_t
  private let output: Int32

  /// Held so that no other program inherits a pipe, which would seem to stay open.
  private static let starting = Mutex(())

  init(_ program: String, _ arguments: [String], environment: [String: String]) throws {
    (leader, output) = try Self.starting.withLock { _ in
      var ends: [Int32] = [-1, -1]
      guard pipe(&ends) == 0 else { throw Failure(description: "no pipe: error \(errno)") }
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      defer { close(ends[1]) }
      #if canImport(Darwin)
        var (attributes, actions): (posix_spawnattr_t?, posix_spawn_file_actions_t?)
      #else
        var (attributes, actions) = (posix_spawnattr_t(), posix_spawn_file_actions_t())
      #endif
      posix_spawnattr_init(&attributes)
      posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
      posix_spawnattr_setpgroup(&attributes, 0)
      posix_spawn_file_actions_init(&actions)
      for stream in [STDOUT_FILENO, STDERR_FILENO] { posix_spawn_file_actions_adddup2(&actions, ends[1], stream) }
      let words = ([program] + arguments).map { strdup($0) } + [nil]
      let variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
      defer {
        (words + variables).forEach { free($0) }
        posix_spawnattr_destroy(&attributes)
        posix_spawn_file_actions_destroy(&actions)
      }
      var leader: pid_t = 0
      let error = posix_spawn(&leader, program, &actions, &attributes, words, variables)
      guard error == 0 else {
        close(ends[0])
        throw Failure(description: "\(program) doesn't start: error \(error)")
      }
      _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
      return (leader, ends[0])
    }
  }

  /// Waits until the program has ended, what it has printed is enough, or the time is over; then ends the others.
  ///
  /// Returns the status of a program that has ended by itself, as `waitpid` gives it.
  func end(within limit: Double, after isEnough: ([UInt8]) -> Bool) -> (status: Int32?, printed: [UInt8]) {
    let end = Date() + limit
    var (printed, status, hasEnded) = ([UInt8](), Int32(0), false)
    while !hasEnded, Date() < end {
      var waiting = [pollfd(fd: output, events: Int16(POLLIN), revents: 0)]
      poll(&waiting, 1, 20)
      hasEnded = waitpid(leader, &status, WNOHANG) == leader
      if read(into: &printed) {
        if isEnough(printed) { break }
      } else if !hasEnded {
        usleep(10_000)
      }
    }
    kill(-leader, SIGKILL)
    if !hasEnded { waitpid(leader, nil, 0) }
    close(output)
    return (hasEnded ? status : nil, printed)
  }

  /// Reads what is there; returns whether anything was.
  private func read(into printed: inout [UInt8]) -> Bool {
    var (bytes, isNew) = ([UInt8](repeating: 0, count: 65_536), false)
    while case let count = Foundation.read(output, &bytes, bytes.count), count > 0 {
      printed += bytes[..<count]
      isNew = true
    }
    return isNew
  }
}
