import Dispatch
import SubPub

/// Every kind of context, several of some.
final class Places: Sendable {
  private let all: [Venue: [Place]]
  // Contexts are held weakly.
  private let poolHosts = [PoolHost(), PoolHost()]
  private let queueHost: QueueHost

  static let shared = Places()
  /// The main queue carries one mark only.
  private static let main = Place(.main, .main, on: .main)

  init() {
    let serial = (1...2).map { DispatchQueue(label: "serial \($0)") }
    let concurrent = (1...2).map { DispatchQueue(label: "concurrent \($0)", attributes: .concurrent) }
    let pool = DispatchQueue(label: "concurrent executor", attributes: .concurrent)
    let (executor, hostExecutor) = (QueueExecutor(label: "executor"), QueueExecutor(label: "host's executor"))
    queueHost = QueueHost(hostExecutor)
    all = [
      .immediate: [Place(.immediate, .immediate)],
      .main: [Self.main],
      .background: [Place(.background, .background)],
      .serialQueue: serial.map { Place(.serialQueue, .queue($0), on: $0) },
      .concurrentQueue: [Place(.concurrentQueue, .queue(concurrent[0]), on: concurrent[0])],
      .independent: [Place(.independent, .queue(concurrent[1], independent: true), on: concurrent[1])],
      .queueExecutor: [Place(.queueExecutor, .executor(executor), on: executor.queue)],
      .concurrentExecutor: [Place(.concurrentExecutor, .executor(ConcurrentExecutor(pool)), on: pool)],
      .actor: poolHosts.map { Place(.actor, .actor($0)) },
      .queueActor: [Place(.queueActor, .actor(queueHost), on: hostExecutor.queue)],
      .task: [Place(.task, nil)],
    ]
  }

  subscript(_ venue: Venue) -> [Place] { all[venue] ?? [] }

  /// One of that kind.
  func draw(_ venue: Venue, _ random: inout SplitMix) -> Place { self[venue][random.draw(self[venue].count)] }
}
