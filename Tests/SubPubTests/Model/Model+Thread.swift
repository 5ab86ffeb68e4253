import SubPub

extension Model {
  /// A thread or a task: the calls that it is in, the innermost last.
  struct Thread {
    let name: String
    /// The lane that it drains, if it was started by a wake.
    let lane: Track?
    var calls: [any Call] = []
    /// The task that waits here was resumed.
    var isResumed = false

    var isOver: Bool { calls.isEmpty }
  }
}
