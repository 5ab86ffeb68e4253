import Dispatch
import SubPub

/// One context of a kind, held as long as the test needs it.
final class Place: Sendable {
  let kind: ContextKind
  let context: DeliveryContext
  private let host: Host

  private enum Host: Sendable {
    case thread, main, background
    case queue(MarkedQueue)
    case pool(PoolExecutor)
    case actor(PlainHost)
    case actorOnQueue(QueueHost)
  }

  init(_ kind: ContextKind) {
    self.kind = kind
    switch kind {
    case .immediate: (host, context) = (.thread, .immediate)
    case .main: (host, context) = (.main, .main)
    case .background: (host, context) = (.background, .background)
    case .queue:
      let marked = MarkedQueue(.init(label: "serial"))
      (host, context) = (.queue(marked), .queue(marked.queue))
    case .concurrentQueue, .independentQueue:
      let marked = MarkedQueue(.init(label: "concurrent", attributes: .concurrent))
      (host, context) = (.queue(marked), .queue(marked.queue, independent: kind == .independentQueue))
    case .executor:
      let pool = PoolExecutor()
      (host, context) = (.pool(pool), .executor(pool))
    case .actor:
      let actor = PlainHost()
      (host, context) = (.actor(actor), .actor(actor))
    case .actorOnQueue:
      let actor = QueueHost()
      (host, context) = (.actorOnQueue(actor), .actor(actor))
    }
  }

  /// The same context with a lane of its own for each subscription, where that can be had.
  var independent: DeliveryContext {
    if case .queue(let marked) = host { .queue(marked.queue, independent: true) } else { context }
  }
}

extension Place {
  /// Whether the caller runs on this context. An actor stops the program instead of saying no.
  var isHere: Bool {
    switch host {
    case .thread: return true
    case .main:
      guard MarkedQueue.main.isHere else { return false }
      MainActor.preconditionIsolated()
      return true
    case .background:
      dispatchPrecondition(condition: .onQueue(.global()))
      return true
    case .queue(let marked): return marked.isHere
    case .pool(let pool): return pool.marked.isHere
    case .actor(let host):
      host.preconditionIsolated()
      return true
    case .actorOnQueue(let host):
      host.preconditionIsolated()
      return host.executor.isIsolatingCurrentContext() == true
    }
  }

  /// Puts the body behind what the context already has to do; on the publishing thread's context, on some thread.
  func start(_ body: @escaping @Sendable () -> Void) {
    switch host {
    case .thread: OwnThread.start(body)
    case .main: DispatchQueue.main.async(execute: body)
    case .background: DispatchQueue.global().async(execute: body)
    case .queue(let marked): marked.queue.async(execute: body)
    case .pool(let pool): Task.detached(executorPreference: pool) { body() }
    case .actor(let host): Task.detached { await host.run(body) }
    case .actorOnQueue(let host): Task.detached { await host.run(body) }
    }
  }

  /// The same, and waits until the body has run.
  func run(_ body: @escaping @Sendable () -> Void) async throws {
    let done = Event()
    start {
      body()
      done.happen()
    }
    try await done.wait()
  }
}
