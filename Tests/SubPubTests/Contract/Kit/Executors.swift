import SubPub
import SubPubTesting
import Synchronization

/// Runs each job inside `enqueue`.
final class InlineExecutor: TaskExecutor {
  private struct Depth {
    var now: [ThreadToken: Int] = [:]
    var most = 0
  }

  private let depth = Locked(Depth())
  private let willRun: @Sendable () -> Void
  private let count = Atomic<Int>(0)

  init(willRun: @escaping @Sendable () -> Void = {}) { self.willRun = willRun }

  /// The number of jobs so far.
  var jobs: Int { count.load(ordering: .relaxed) }
  /// The most jobs that were ever nested on one thread.
  var deepest: Int { depth.withLock(\.most) }

  func enqueue(_ job: consuming ExecutorJob) {
    // The job may release this executor, which the runtime doesn't hold either.
    let kept = unsafe Unmanaged.passRetained(self)
    defer { unsafe kept.release() }
    count.add(1, ordering: .relaxed)
    willRun()
    depth.withLock { depth in
      depth.now[.current, default: 0] += 1
      depth.most = max(depth.most, depth.now[.current, default: 0])
    }
    unsafe UnownedJob(job).runSynchronously(on: asUnownedTaskExecutor())
    depth.withLock { $0.now[.current, default: 0] -= 1 }
  }
}

/// An actor whose jobs run when the test says so.
actor ManualHost {
  nonisolated let executor: ManualExecutor
  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

  init(_ executor: ManualExecutor = ManualExecutor()) { self.executor = executor }
}

/// A context that delivers on the test's own thread, when the test says so.
///
/// Whatever the library releases is dead when `serve()` returns.
struct ManualPlace {
  enum Kind: String, CaseIterable, Codable, Sendable { case immediate, executor, actor }

  let context: DeliveryContext
  private let executor = ManualExecutor()
  private let host: ManualHost

  init(_ kind: Kind) {
    host = ManualHost(executor)
    context =
      switch kind {
      case .immediate: .immediate
      case .executor: .executor(executor)
      case .actor: .actor(host)
      }
  }

  /// Delivers the pending states.
  func serve() {
    executor.runAll()
    withExtendedLifetime(host) {}
  }
}
