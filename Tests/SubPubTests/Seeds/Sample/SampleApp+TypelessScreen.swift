import SubPub

extension SampleApp {
  /// On the publishing thread, with a face that knows no type.
  final class TypelessScreen<Value: Sendable>: Screen, Subscriber {
    let missesNothing = true
    private let items: @Sendable (Value) -> [Item]
    private let list = Locked<[View]>([])

    init(_ items: @escaping @Sendable (Value) -> [Item]) { self.items = items }

    var views: [View] { list.withLock { $0 } }

    func attend(_ publisher: Publisher<Value>) { publisher.subscribe(self, on: .immediate) }

    func receive(_ publication: any AnyPublication) {
      guard let publication = publication as? Publication<Value> else { return }
      let view = View(publication, items)
      list.withLock { $0.append(view) }
    }
  }
}
