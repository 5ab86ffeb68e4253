import SubPub
import SubPubTesting

/// A context where deliveries run on the test's own thread, when the test says so: what has been let go of is dead then.
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

  /// Delivers what is pending.
  func serve() {
    executor.runAll()
    withExtendedLifetime(host) {}
  }
}
