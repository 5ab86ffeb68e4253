import Dispatch
import SubPub

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
    signals = [SIGINT, SIGTERM, SIGHUP].map { number in
      signal(number, SIG_IGN)  // the source receives it anyway
      let source = DispatchSource.makeSignalSource(signal: number)
      source.setEventHandler { @Sendable in
        Terminal.restoreBefore(number)  // a second Ctrl-C doesn't wait, even if a disk hangs
        cause.updateData(.signal)
      }
      source.activate()
      return source
    }
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
