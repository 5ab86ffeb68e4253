/// One line of the table: a piece of work, done by us and by a rival.
struct Row: Sendable {
  let name: String
  let rivalName: String
  /// How many deliveries, or other operations, one run makes.
  let operations: Int
  let ours: @Sendable () async -> Duration
  let rival: @Sendable () async -> Duration

  func measured(pairs: Int) async -> String {
    var times: (ours: [Double], rival: [Double], ratios: [Double]) = ([], [], [])
    for pair in 0...pairs {
      let a = await ours().nanoseconds / Double(operations)
      let b = await rival().nanoseconds / Double(operations)
      // The first pair warms up.
      guard pair > 0 else { continue }
      times.ours.append(a)
      times.rival.append(b)
      times.ratios.append(a / b)
    }
    let columns = [times.ours, times.rival, times.ratios].map(\.median)
    return [
      name.padded(to: 34), columns[0].decimals(1).padded(to: 10), columns[1].decimals(1).padded(to: 10),
      columns[2].decimals(2).padded(to: 5), " \(rivalName)",
    ].joined(separator: " ")
  }
}

extension [Double] {
  fileprivate var median: Double { sorted()[count / 2] }
}

extension Double {
  fileprivate func decimals(_ count: Int) -> String {
    let scale = count == 1 ? 10.0 : 100
    let scaled = Int((self * scale).rounded())
    let fraction = String(scaled % Int(scale))
    return "\(scaled / Int(scale)).\(String(repeating: "0", count: count - fraction.count))\(fraction)"
  }
}

extension String {
  func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}

extension Duration {
  fileprivate var nanoseconds: Double {
    Double(components.seconds) * 1e9 + Double(components.attoseconds) / 1e9
  }
}
