import SubPub
import SubPubTesting

extension SampleApp {
  /// An actor, which looks at the latest state only.
  actor ActorScreen<Value: Sendable>: Screen, TypedSubscriber {
    nonisolated let missesNothing = false
    private nonisolated let executor: ManualExecutor
    private nonisolated let items: @Sendable (Value) -> [Item]
    /// Written inside the actor, and read when everything is at rest.
    private nonisolated let list = Locked<[View]>([])

    init(_ executor: ManualExecutor, _ items: @escaping @Sendable (Value) -> [Item]) {
      self.executor = executor
      self.items = items
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    nonisolated var views: [View] { list.withLock { $0 } }

    nonisolated func attend(_ publisher: Publisher<Value>) {
      publisher.subscribe(self, on: .actor(self), buffering: .latest)
    }

    nonisolated func receive(_ state: LoadState<Value>) {}

    nonisolated func receive(_ publication: Publication<Value>) {
      let view = View(publication, items)
      assumeIsolated { $0.list.withLock { $0.append(view) } }
    }
  }
}
