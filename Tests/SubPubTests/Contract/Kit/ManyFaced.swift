import SubPub
import Synchronization

/// A subscriber with every face that an object may have.
class ManyFaced: Subscriber, TypedSubscriber, @unchecked Sendable {
  private let count = Atomic<Int>(0)

  func receive(_ publication: any AnyPublication) { count.add(1, ordering: .relaxed) }
  func receive(_ publication: Publication<Int>) { count.add(1, ordering: .relaxed) }
  func receive(_ state: LoadState<Int>) { count.add(1, ordering: .relaxed) }

  /// Through whatever face.
  var calls: Int { count.load(ordering: .relaxed) }
}

// Not in the declaration: that would isolate the class.
extension ManyFaced: MainActorSubscriber, MainActorTypedSubscriber {}
