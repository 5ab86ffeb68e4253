import SubPub

extension Model {
  /// A thread or a task: the calls that it is in, the innermost last.
  final class Thread {
    let name: String
    /// The lane that it drains, if it was started by a wake.
    let lane: Track?
    var calls: [any Call] = []
    /// The task that waits here was resumed.
    var isResumed = false

    init(name: String, lane: Track? = nil) {
      self.name = name
      self.lane = lane
    }

    var isOver: Bool { calls.isEmpty }
  }
}
