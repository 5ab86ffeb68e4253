/// Runs every interleaving in which strands that could go on are interrupted at most `bound` times.
///
/// A history can't be copied, so each branch repeats it from the start. Two histories lead to the same state if every
/// strand has taken the same steps, and every object has seen them in the same order, apart from the order of reads. A
/// state that was reached before with as many interruptions left, or more, isn't followed again.
final class Exploration: Decider {
  let interruptsForeignCode = false
  private let bound: Int
  private var path: [Fork] = []
  private var depth = 0
  private var hasBegun = false
  /// How many interruptions are left in this history.
  private var left: Int
  /// The history has reached a known state, and only has to be completed; also true between histories.
  private(set) var isKnown = true
  /// For each state and the strand that runs, one more than the interruptions that were left.
  private var seen: [UInt64: Int] = [:]

  // What has happened, as one word for each strand and object.
  private var strands: [Int: UInt64] = [:]
  private var twins: Set<Int> = []
  private var writes: [Int: UInt64] = [:]
  private var reads: [Int: UInt64] = [:]

  /// A moment with several choices.
  private struct Fork {
    var chosen: Int
    var others: [Int]
  }

  var states: Int { seen.count }
  /// The number of choices in this history.
  var length: Int { depth }

  init(bound: Int) {
    self.bound = bound
    left = bound
  }

  /// Begins the next history; returns false if there is none.
  func begin() -> Bool {
    if hasBegun, !backtrack() {
      (depth, isKnown) = (0, true)
      return false
    }
    hasBegun = true
    (depth, left, isKnown) = (0, bound, false)
    (strands, twins, writes, reads) = ([:], [], [:], [:])
    return true
  }

  /// Goes back to the last fork with a branch that wasn't taken.
  private func backtrack() -> Bool {
    while let fork = path.popLast() {
      guard let next = fork.others.first else { continue }
      path.append(Fork(chosen: next, others: Array(fork.others.dropFirst())))
      return true
    }
    return false
  }

  func next(of ready: [Int], running: Int?) -> Int {
    let first = running ?? ready[0]
    let others = running != nil && left == 0 ? [] : ready.filter { $0 != first }
    let chosen = choose(first, others, running: first)
    if running != nil, chosen != first { left -= 1 }
    return chosen
  }

  func draw(_ bound: Int) -> Int { bound == 1 ? 0 : choose(0, Array(1..<bound), running: nil) }

  /// Chooses the first branch before the others; a choice of the strand that runs next is at a state of its own.
  private func choose(_ first: Int, _ others: [Int], running: Int?) -> Int {
    if depth < path.count {
      depth += 1
      let chosen = path[depth - 1].chosen
      precondition(chosen == first || others.contains(chosen), "A repeated history takes another course")
      return chosen
    }
    if isKnown { return first }
    if let running {
      let state = state(running: running)
      guard seen[state, default: 0] <= left else {
        isKnown = true
        return first
      }
      seen[state] = left + 1
    }
    path.append(Fork(chosen: first, others: others))
    depth += 1
    return first
  }

  func note(strand: Int, object: Int, isWrite: Bool) {
    var word = Self.mixed(strands[strand, default: 0], identity(of: strand), UInt64(object) << 1 | (isWrite ? 1 : 0))
    word = Self.mixed(word, writes[object, default: 0], isWrite ? reads[object, default: 0] : 0)
    strands[strand] = word
    if isWrite {
      (writes[object], reads[object]) = (word, 0)
    } else {
      // The order of reads doesn't matter.
      reads[object, default: 0] &+= word
    }
  }

  func joinTwins(strand: Int) { twins.insert(strand) }

  func forget(strand: Int, operation: Int) { strands[strand] = UInt64(operation) }

  private func identity(of strand: Int) -> UInt64 { twins.contains(strand) ? .max : UInt64(strand) }

  private func state(running: Int) -> UInt64 {
    var sum: UInt64 = 0
    for (strand, word) in strands { sum &+= Self.mixed(1, identity(of: strand), word) }
    for (object, word) in writes { sum &+= Self.mixed(2, UInt64(object), word) }
    for (object, word) in reads where word != 0 { sum &+= Self.mixed(3, UInt64(object), word) }
    return Self.mixed(sum, identity(of: running), strands[running, default: 0])
  }

  private static func mixed(_ a: UInt64, _ b: UInt64, _ c: UInt64) -> UInt64 {
    mixed(mixed(mixed(0x9E37_79B9_7F4A_7C15, a), b), c)
  }

  private static func mixed(_ word: UInt64, _ part: UInt64) -> UInt64 {
    var word = (word ^ part) &* 0xBF58_476D_1CE4_E5B9
    word ^= word >> 29
    word = word &* 0x94D0_49BB_1331_11EB
    return word ^ word >> 32
  }
}
