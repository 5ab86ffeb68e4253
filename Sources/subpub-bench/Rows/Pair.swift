/// Figures that were taken one right after the other.
struct Pair {
  let ours: Double
  let rival: Double?

  var ratio: Double? { rival.map { ours / $0 } }
}
