/// Numbers that a seed determines.
struct Random {
  var state: UInt64

  mutating func next(_ range: ClosedRange<UInt32>) -> UInt32 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = state
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    bits ^= bits >> 31
    return range.lowerBound + UInt32(bits % UInt64(range.upperBound - range.lowerBound + 1))
  }
}
