import Dispatch
import SubPub

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The moment when the program shall end: when its time is up, at Ctrl-C, or when it is asked to terminate.
///
/// It is a publisher too. Whatever can happen once and be waited for by many is one: it may be published from any
/// thread, and who comes too late is told at once.
@MainActor
final class Ending {
  private enum Cause { case timeIsUp, signal }

  private nonisolated let cause: Publisher<Cause>
  private let signals: [any DispatchSourceSignal]

  init(after time: Duration) {
    let cause = Publisher<Cause>(label: "ending")
    self.cause = cause
    Task {
      try await Task.sleep(for: time)  // throws only if its task is cancelled, and nobody cancels this one
      cause.updateData(.timeIsUp)
    }
    signals = [SIGINT, SIGTERM].map { number in
      signal(number, SIG_IGN)  // the source is told of it all the same
      let source = DispatchSource.makeSignalSource(signal: number)
      source.setEventHandler { @Sendable in
        signal(number, SIG_DFL)  // a second Ctrl-C doesn't wait for anything, a disk that hangs for example
        cause.updateData(.signal)
      }
      source.activate()
      return source
    }
  }

  nonisolated func wait() async {
    do {
      _ = try await cause.value()
    } catch {
      // Who waits was cancelled, and needn't wait any longer.
    }
  }

  /// A pause that the ending cuts short.
  nonisolated func rest(atMost time: Duration) async {
    await withTaskGroup { group in
      group.addTask {
        do {
          try await Task.sleep(for: time)
        } catch {
          // The ending came first.
        }
      }
      group.addTask { await self.wait() }
      await group.next()
      group.cancelAll()
    }
  }
}
