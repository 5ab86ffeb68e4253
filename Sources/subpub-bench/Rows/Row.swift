/// One line of the table: a piece of work, done by us and, where there is someone to compare with, by a rival.
struct Row: Sendable {
  let name: String
  var unit = Unit.nanoseconds
  var rival: String?
  var bound: Bound?
  /// A ratio to reach, where the bound is only what has to hold.
  var aim: Double?
  /// What the rival took when the bounds were set, if the row is one of the floor; see `Floor`.
  var floor: Double?
  /// Whether this platform has a way to measure it.
  var isMeasurable = true
  let measure: @concurrent @Sendable (_ oursFirst: Bool) async throws -> Pair

  /// What `--filter` looks at.
  var title: String { [name, rival].compactMap(\.self).joined(separator: " / ") }
}

extension Row {
  /// Without a rival.
  init(
    _ name: String, in unit: Unit, bound: Bound? = nil, isMeasurable: Bool = true, ours: @escaping Sample
  ) {
    self.init(name: name, unit: unit, bound: bound, isMeasurable: isMeasurable) { _ in
      Pair(ours: try await Self.figure(of: "ours", ours), rival: nil)
    }
  }

  /// With a rival; who goes first changes from pair to pair.
  init(
    _ name: String, in unit: Unit = .nanoseconds, against rivalName: String, bound: Bound? = nil,
    isMeasurable: Bool = true, ours: @escaping Sample, rival: @escaping Sample
  ) {
    self.init(name: name, unit: unit, rival: rivalName, bound: bound, isMeasurable: isMeasurable) { oursFirst in
      if oursFirst {
        let figure = try await Self.figure(of: "ours", ours)
        return Pair(ours: figure, rival: try await Self.figure(of: rivalName, rival))
      } else {
        let figure = try await Self.figure(of: rivalName, rival)
        return Pair(ours: try await Self.figure(of: "ours", ours), rival: figure)
      }
    }
  }

  /// So many pairs; one more before them warms up.
  func pairs(_ count: Int) async throws(Fault) -> [Pair] {
    guard isMeasurable else { return [] }
    do {
      var pairs: [Pair] = []
      for index in 0...count { pairs.append(try await measure(index.isMultiple(of: 2))) }
      return Array(pairs.dropFirst())
    } catch {
      throw Fault(subject: title, reason: error)
    }
  }

  private static func figure(of contestant: String, _ sample: Sample) async throws(Fault) -> Double {
    do {
      return try await sample()
    } catch {
      throw Fault(subject: contestant, reason: error)
    }
  }
}
