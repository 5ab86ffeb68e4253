/// One line of the table: a piece of work, done by SubPub and usually by a rival.
struct Row: Sendable {
  let name: String
  var unit = Unit.nanoseconds
  var rival: String?
  var bound: Bound?
  /// The rival's figure when the bounds were set, if this is a row of the baseline; see `Baseline`.
  var baseline: Double?
  /// The lines of the chart that the figures are points of, if they are.
  var charted: (ours: Curve, rival: Curve, subscribers: Int)?
  /// Whether this platform can measure the row.
  var isMeasurable = true
  let measure: @concurrent @Sendable (_ oursFirst: Bool) async throws -> Pair

  /// The text that `--filter` searches.
  var title: String { [name, rival].compactMap(\.self).joined(separator: " / ") }
}

extension Row {
  /// Creates a row without a rival.
  init(
    _ name: String, in unit: Unit, bound: Bound? = nil, isMeasurable: Bool = true, ours: @escaping Sample
  ) {
    self.init(name: name, unit: unit, bound: bound, isMeasurable: isMeasurable) { _ in
      Pair(ours: try await Self.figure(of: "ours", ours), rival: nil)
    }
  }

  /// Creates a row with a rival; SubPub and the rival alternately go first.
  init(
    _ name: String, in unit: Unit = .nanoseconds, against rivalName: String, bound: Bound? = nil,
    isMeasurable: Bool = true, ours: @escaping Sample, rival: @escaping Sample
  ) {
    self.init(
      name: name, unit: unit, rival: rivalName, bound: bound, isMeasurable: isMeasurable
    ) { oursFirst in
      if oursFirst {
        let figure = try await Self.figure(of: "ours", ours)
        return Pair(ours: figure, rival: try await Self.figure(of: rivalName, rival))
      } else {
        let figure = try await Self.figure(of: rivalName, rival)
        return Pair(ours: try await Self.figure(of: "ours", ours), rival: figure)
      }
    }
  }

  /// Measures a number of pairs, after one more to warm up.
  func pairs(_ count: Int) async throws(MeasurementError) -> [Pair] {
    guard isMeasurable else { return [] }
    do {
      var pairs: [Pair] = []
      for index in 0...count { pairs.append(try await measure(index.isMultiple(of: 2))) }
      return Array(pairs.dropFirst())
    } catch {
      throw MeasurementError(subject: title, reason: error)
    }
  }

  private static func figure(of contestant: String, _ sample: Sample) async throws(MeasurementError) -> Double {
    do {
      return try await sample()
    } catch {
      throw MeasurementError(subject: contestant, reason: error)
    }
  }
}

extension Row {
  static let all: [Row] =
    publishingThread + toNobody + serialQueue + mainActor + pool + sequences + skipping + subscribing + wakeUp
    + suspendedQueue + publishingThreads + families + editing + changes + derived + delegates + bytes + objects
}

/// The bound of a row.
enum Bound {
  /// The largest ratio of SubPub's figure to the rival's.
  case ratio(Double)
  /// The largest figure of SubPub.
  case figure(Double)
}

/// The unit of a row's figures.
enum Unit: String {
  case nanoseconds = "ns"
  case microseconds = "µs"
  case bytes = "bytes"
  case objects = "objects"
}

/// Two figures, measured one right after the other.
struct Pair {
  let ours: Double
  let rival: Double?

  var ratio: Double? { rival.map { ours / $0 } }
}

/// The error of a measurement, with its row and contestant.
struct MeasurementError: Error, CustomStringConvertible {
  let subject: String
  let reason: any Error

  var description: String { "\(subject): \(reason)" }
}

/// A measurement of one contestant, which throws if a delivery was lost.
typealias Sample = @concurrent @Sendable () async throws -> Double

extension Duration {
  var nanoseconds: Double { self / .nanoseconds(1) }
}
