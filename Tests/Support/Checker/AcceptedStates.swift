/// The states that the publisher accepted, by version, as far as interfaces that pass a version have shown them.
struct AcceptedStates: Sendable {
  /// The number of each version's value; `unknown` if no subscriber has seen it.
  private(set) var numbers: [UInt32]
  private(set) var phases: [UInt8]
  /// How many versions up to this one are loaded.
  private(set) var loaded: [UInt32] = []
  /// When the call that published it began and ended; 0 and the end of time if that isn't known.
  private(set) var callBegin: [UInt64]
  private(set) var callEnd: [UInt64]
  /// The first version of each number.
  private var versions: [UInt32: UInt32] = [0: 0]

  static let unknown = UInt32.max

  init(upTo last: UInt32) {
    let count = Int(last) + 1
    numbers = Array(repeating: Self.unknown, count: count)
    phases = Array(repeating: 0, count: count)
    callBegin = Array(repeating: 0, count: count)
    callEnd = Array(repeating: .max, count: count)
  }

  var last: UInt32 { UInt32(numbers.count - 1) }

  func version(of number: UInt32) -> UInt32? { versions[number] }

  /// Adds what a delivery shows; false if another one has shown something else, or there is no such version.
  @inline(__always)
  mutating func learn(version: UInt32, number: UInt32, phase: UInt8) -> Bool {
    let version = Int(version)
    guard version < numbers.count else { return false }
    if numbers[version] == Self.unknown { (numbers[version], phases[version]) = (number, phase) }
    return numbers[version] == number && phases[version] == phase
  }

  /// Finds the version and the call of each number, once everything is learned.
  mutating func finish(_ calls: [Call]) {
    var sum: UInt32 = 0
    for (version, number) in numbers.enumerated() {
      if phases[version] == 2 { sum += 1 }
      loaded.append(sum)
      // A value that is published again had a version of its own before.
      if number != Self.unknown, versions[number] == nil { versions[number] = UInt32(version) }
    }
    for call in calls where call.number != 0 {
      guard let version = versions[call.number].map(Int.init) else { continue }
      (callBegin[version], callEnd[version]) = (call.span.begin, call.span.end)
    }
  }
}
