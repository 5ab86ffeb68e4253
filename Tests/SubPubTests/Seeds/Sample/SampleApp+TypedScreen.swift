import SubPub
import SubPubTesting

extension SampleApp {
  /// On an executor, with a typed contract.
  final class TypedScreen<Value: Sendable>: Screen, TypedSubscriber {
    let missesNothing = true
    private let executor: ManualExecutor
    private let items: @Sendable (Value) -> [Item]
    private let list = Locked<[View]>([])

    init(_ executor: ManualExecutor, _ items: @escaping @Sendable (Value) -> [Item]) {
      self.executor = executor
      self.items = items
    }

    var views: [View] { list.withLock { $0 } }

    func attend(_ publisher: Publisher<Value>) { publisher.subscribe(self, on: .executor(executor)) }

    func receive(_ state: LoadState<Value>) {}

    func receive(_ publication: Publication<Value>) {
      let view = View(publication, items)
      list.withLock { $0.append(view) }
    }
  }
}
