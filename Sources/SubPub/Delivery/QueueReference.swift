import Dispatch

/// A queue as a context: two are equal when they name one queue.
///
/// On Linux every access to a global queue, or to the main queue, makes a new object, so those can't be told by
/// identity.
struct QueueReference: Hashable, Sendable {
  let queue: any WorkQueue
  let isTimed: Bool
  /// The label of one of Dispatch's own global queues, which no two of them share.
  private let globalLabel: String?

  init(_ queue: any WorkQueue) {
    self.queue = queue
    isTimed = !(queue is any Untimed)
    let label = queue.label
    globalLabel = label.hasPrefix("com.apple.root.") ? label : nil
  }

  /// Whether it is the main queue: the only one that carries the mark.
  static func isMain(_ queue: DispatchQueue) -> Bool { queue.getSpecific(key: mainMark) == true }

  /// Whether the caller runs on the main queue: then it is on the main actor.
  static var isOnMain: Bool { DispatchQueue.getSpecific(key: mainMark) == true }

  private static let mainMark: DispatchSpecificKey<Bool> = {
    let mark = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: mark, value: true)
    return mark
  }()

  static func == (left: QueueReference, right: QueueReference) -> Bool {
    left.queue === right.queue || (left.globalLabel != nil && left.globalLabel == right.globalLabel)
  }

  func hash(into hasher: inout Hasher) {
    if let globalLabel { hasher.combine(globalLabel) } else { hasher.combine(ObjectIdentifier(queue)) }
  }
}
