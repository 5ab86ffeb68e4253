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
  /// By caller and count.
  private var versions: [[UInt32]] = []

  static let unknown = UInt32.max

  init(upTo last: UInt32) {
    let count = Int(last) + 1
    numbers = Array(repeating: Self.unknown, count: count)
    phases = Array(repeating: 0, count: count)
    callBegin = Array(repeating: 0, count: count)
    callEnd = Array(repeating: .max, count: count)
  }

  var last: UInt32 { UInt32(numbers.count - 1) }

  /// Adds what a delivery shows; false if another one has shown something else, or there is no such version.
  @inline(__always)
  mutating func learn(version: UInt32, number: UInt32, phase: UInt8) -> Bool {
    let version = Int(version)
    guard version < numbers.count else { return false }
    if numbers[version] == Self.unknown {
      numbers[version] = number
      phases[version] = phase
      return true
    }
    return numbers[version] == number && phases[version] == phase
  }

  /// Finds the version and the call of each number, once everything is learned.
  mutating func finish(_ calls: [Call]) {
    var sum: UInt32 = 0
    loaded.reserveCapacity(numbers.count)
    for version in numbers.indices {
      if phases[version] == 2 { sum += 1 }
      loaded.append(sum)
      let number = numbers[version]
      // A value that is published again had a version of its own before.
      if number != Self.unknown, number != 0, self.version(of: number) == nil { add(number, at: UInt32(version)) }
    }
    for call in calls where call.number != 0 {
      guard let version = version(of: call.number).map(Int.init) else { continue }
      callBegin[version] = call.span.begin
      callEnd[version] = call.span.end
    }
  }

  @inline(__always)
  func version(of number: UInt32) -> UInt32? {
    if number == 0 { return 0 }
    let (caller, count) = (Number.caller(of: number), Number.count(of: number))
    guard caller < versions.count, count < versions[caller].count else { return nil }
    let version = versions[caller][count]
    return version == Self.unknown ? nil : version
  }

  private mutating func add(_ number: UInt32, at version: UInt32) {
    let (caller, count) = (Number.caller(of: number), Number.count(of: number))
    while versions.count <= caller { versions.append([]) }
    if versions[caller].count <= count {
      versions[caller] += Array(repeating: Self.unknown, count: count + 1 - versions[caller].count)
    }
    versions[caller][count] = version
  }
}
