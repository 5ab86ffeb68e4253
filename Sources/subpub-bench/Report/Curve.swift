/// A line of the chart, with its name: one of SubPub's ways to deliver, or a rival's.
enum Curve: String, CaseIterable {
  case asyncPerDelivery = "one async for each"
  case notificationCenter = "NotificationCenter"
  case lockedLoop = "locked weak loop"
  case serialQueue = "SubPub, queue"
  case publishingThread = "SubPub, thread"

  var isOurs: Bool { self == .serialQueue || self == .publishingThread }

  /// The classes in the style sheet.
  var style: String {
    switch self {
    case .asyncPerDelivery: "curve asyncs"
    case .notificationCenter: "curve center"
    case .lockedLoop: "curve loop"
    case .serialQueue: "curve subpub dashed"
    case .publishingThread: "curve subpub"
    }
  }
}

/// A point of a line.
struct CurvePoint {
  let curve: Curve
  let subscribers: Int
  let nanoseconds: Double

  /// The points that a row has measured.
  static func points(of outcome: Outcome) -> [CurvePoint] {
    guard let charted = outcome.row.charted, !outcome.pairs.isEmpty else { return [] }
    let ours = CurvePoint(curve: charted.ours, subscribers: charted.subscribers, nanoseconds: outcome.ours)
    let rival = outcome.rival.map {
      CurvePoint(curve: charted.rival, subscribers: charted.subscribers, nanoseconds: $0)
    }
    return [ours] + [rival].compactMap(\.self)
  }
}
