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
