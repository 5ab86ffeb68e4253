import SubPub

/// What rule 2.04 says of one subscription's buffer, written down as simply as can be.
struct BufferModel {
  let policy: BufferingPolicy
  private(set) var pending: [UInt64] = []
  /// In the order in which their deliveries began.
  private(set) var delivered: [UInt64] = []
  private(set) var isUnderWay = false
  private(set) var put = 0
  private(set) var skipped = 0
  private(set) var highWater = 0

  init(_ policy: BufferingPolicy, replay: UInt64) {
    self.policy = policy
    put(replay)
  }

  mutating func put(_ version: UInt64) {
    put += 1
    pending.append(version)
    if pending.count > limit {
      pending.removeFirst()
      skipped += 1
    }
    highWater = max(highWater, pending.count)
  }

  private var limit: Int {
    switch policy {
    case .unbounded: .max
    case .latest: 1
    case .newest(let limit): limit
    }
  }

  /// The delivery of what has waited longest; nil if nothing waits.
  mutating func begin() -> UInt64? {
    guard !pending.isEmpty else { return nil }
    isUnderWay = true
    let version = pending.removeFirst()
    delivered.append(version)
    return version
  }

  mutating func end() { isUnderWay = false }

  /// Deliveries that have ended, and the version of the last of them.
  var ended: Int { delivered.count - (isUnderWay ? 1 : 0) }
  var last: UInt64? { delivered.prefix(ended).last }
}
