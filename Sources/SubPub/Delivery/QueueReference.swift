import Dispatch

/// A Dispatch queue as a context: two are equal when they name one queue.
struct QueueReference: Hashable, Sendable {
  let queue: DispatchQueue

  static func == (left: QueueReference, right: QueueReference) -> Bool { left.queue === right.queue }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(queue)) }
}
