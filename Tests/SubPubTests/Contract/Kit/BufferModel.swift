import SubPub
import Support

extension BufferingPolicy {
  /// One of each, and the smallest bound.
  static let oneOfEach: [BufferingPolicy] = [.unbounded, .latest, .newest(1), .newest(3)]

  /// The states that remain in a buffer when all of these come at once.
  func rest<State>(of states: [State]) -> [State] { states.suffix(bound ?? .max) }
}

/// Rule 2.04 for the buffer of one subscription, written as simply as possible.
struct BufferModel {
  let policy: BufferingPolicy
  /// At first the replay.
  private(set) var pending: [UInt64] = [0]
  /// In the order in which the deliveries began.
  private(set) var delivered: [UInt64] = []
  private(set) var (put, highWater) = (1, 1)
  private var isUnderWay = false

  init(_ policy: BufferingPolicy) { self.policy = policy }

  mutating func put(_ version: UInt64) {
    put += 1
    pending = policy.rest(of: pending + [version])
    highWater = max(highWater, pending.count)
  }

  /// Begins the delivery of the oldest pending state; returns nil if there is none.
  mutating func begin() -> UInt64? {
    guard !pending.isEmpty else { return nil }
    isUnderWay = true
    let version = pending.removeFirst()
    delivered.append(version)
    return version
  }

  mutating func end() { isUnderWay = false }

  var skipped: Int { put - delivered.count - pending.count }
  /// The number of deliveries that have ended, and the version of the last of them.
  var ended: Int { delivered.count - (isUnderWay ? 1 : 0) }
  var last: UInt64? { delivered.prefix(ended).last }
}

/// A lane of several subscriptions: each state goes, in their order, to those that still have it pending.
struct LaneModel {
  private(set) var buffers: [BufferModel]
  private(set) var newest: UInt64 = 0
  private var served: UInt64?
  private var deliveries = 0
  /// How many states each delivery publishes.
  private let plan: [Int]

  init(_ policies: [BufferingPolicy], plan: [Int]) {
    buffers = policies.map(BufferModel.init)
    self.plan = plan
  }

  mutating func put() {
    newest += 1
    for index in buffers.indices { buffers[index].put(newest) }
  }

  /// Serves everything, including what the deliveries publish.
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
