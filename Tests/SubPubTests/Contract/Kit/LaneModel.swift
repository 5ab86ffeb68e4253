import SubPub

/// A lane of several subscriptions: each state goes to those who still have it pending, in their order; a plan says how
/// many states each delivery publishes.
struct LaneModel {
  private(set) var buffers: [BufferModel]
  private(set) var newest: UInt64 = 0
  private var served: UInt64?
  private var deliveries = 0
  private let plan: [Int]

  init(_ policies: [BufferingPolicy], plan: [Int]) {
    buffers = policies.map { BufferModel($0, replay: 0) }
    self.plan = plan
  }

  mutating func put() {
    newest += 1
    for index in buffers.indices { buffers[index].put(newest) }
  }

  /// Serves everything, also what is published meanwhile.
  mutating func drain() {
    var version = served.map { $0 + 1 } ?? 0
    while version <= newest {
      for index in buffers.indices where buffers[index].pending.first == version {
        _ = buffers[index].begin()
        if deliveries < plan.count { for _ in 0..<plan[deliveries] { put() } }
        deliveries += 1
        buffers[index].end()
      }
      served = version
      version += 1
    }
  }
}
