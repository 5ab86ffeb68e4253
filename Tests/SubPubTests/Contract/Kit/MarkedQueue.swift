import Dispatch

/// A queue that can tell whether the caller runs on it.
struct MarkedQueue: Sendable {
  let queue: DispatchQueue
  private static let mark = DispatchSpecificKey<ObjectIdentifier>()
  private let id: ObjectIdentifier

  init(_ queue: DispatchQueue) {
    self.queue = queue
    id = ObjectIdentifier(queue)
    queue.setSpecific(key: Self.mark, value: id)
  }

  static let main = MarkedQueue(.main)

  var isHere: Bool { DispatchQueue.getSpecific(key: Self.mark) == id }
}
