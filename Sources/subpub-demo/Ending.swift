import Dispatch
import SubPub
import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The end of the program: at its time limit, at Ctrl-C or another request to terminate, or when the key for it is
/// pressed.
///
/// It is a publisher, too. An event that happens once and that many tasks wait for can be a publisher: any thread may
/// publish it, and a late subscriber learns of it at once.
@MainActor
final class Ending {
  private enum Cause { case timeIsUp, signal, key }

  private nonisolated let cause: Publisher<Cause>
  private let signals: [any DispatchSourceSignal]

  /// Creates an ending, after a time or without a limit.
  init(after time: Duration?) {
    let cause = Publisher<Cause>(label: "ending")
    self.cause = cause
    if let time {
      Task {
        try await Task.sleep(for: time)  // throws only if its task is cancelled, and this one never is
        cause.updateData(.timeIsUp)
      }
    }
    // After `nohup`, the end of the terminal isn't the end of the program.
    let numbers = [SIGINT, SIGTERM] + (Self.ignores(SIGHUP) ? [] : [SIGHUP])
    signals = numbers.map { number in
      signal(number, SIG_IGN)  // the source receives it anyway
      let source = DispatchSource.makeSignalSource(signal: number)
      let isEnding = Mutex(false)
      source.setEventHandler { @Sendable in
        let isFirst = isEnding.withLock { isEnding in
          defer { isEnding = true }
          return !isEnding
        }
        // A second Ctrl-C doesn't wait, even if a disk hangs. It may come here, or to the handler.
        if isFirst { Terminal.restoreBefore(number) } else { Terminal.endProcess(by: number) }
        cause.updateData(.signal)
      }
      source.activate()
      return source
    }
  }

  /// Whether the program was started with a signal that is ignored.
  private static func ignores(_ number: Int32) -> Bool {
    var action = sigaction()
    guard unsafe sigaction(number, nil, &action) == 0 else { return false }
    // Handlers are functions, which can't be compared; both begin with a pointer.
    let handler = unsafe withUnsafeBytes(of: action) { unsafe $0.load(as: UInt.self) }
    return unsafe handler == withUnsafeBytes(of: SIG_IGN) { unsafe $0.load(as: UInt.self) }
  }

  /// Ends the program because its key was pressed.
  nonisolated func end() { cause.updateData(.key) }

  nonisolated func wait() async {
    do {
      _ = try await cause.value()
    } catch {
      // The task was cancelled, so it needn't wait any longer.
    }
  }

  /// Pauses for a time, or until the program ends.
  nonisolated func rest(atMost time: Duration) async {
    await withTaskGroup { group in
      group.addTask {
        do {
          try await Task.sleep(for: time)
        } catch {
          // The program ends first.
        }
      }
      group.addTask { await self.wait() }
      await group.next()
      group.cancelAll()
    }
  }
}
