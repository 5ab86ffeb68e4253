extension Model {
  /// A state of the model in one word. Two of a million states share a word with a chance of 1 in 30 million.
  struct Digest {
    private(set) var value: UInt64 = 0x9E37_79B9_7F4A_7C15

    mutating func add(_ word: UInt64) {
      value = (value ^ word) &* 0xBF58_476D_1CE4_E5B9
      value ^= value >> 29
      value = value &* 0x94D0_49BB_1331_11EB
      value ^= value >> 32
    }

    mutating func add(_ number: Int) { add(UInt64(bitPattern: Int64(number))) }
    mutating func add(_ flag: Bool) { add(flag ? 1 : 0) }
    mutating func add(_ numbers: [Int]) {
      add(numbers.count)
      for number in numbers { add(number) }
    }
  }
}
