import Foundation
import SubPub

/// What the page draws: all publishers, with their subscriptions as they are at one moment.
private struct Picture: Encodable {
  /// When it was drawn, on a clock of its own.
  let seconds: Double
  let publishers: [PublisherSnapshot]
  /// By the name of the publisher.
  let fellBehind: [String: Int]
  let delays: Meter.Delays
  let trouble: Trouble
}

/// Draws pictures as long as somebody looks at them.
final class Painter: Sendable {
  /// The newest picture, as a server-sent event.
  ///
  /// It says what is, so nobody needs the one before: its readers take the latest, and the next one gets none that is
  /// old. However many states are published, there are five pictures a second.
  let picture = Publisher<[UInt8]>(label: "picture")
  private let started = ContinuousClock.now
  private static let interval = Duration.milliseconds(200)
  /// How many subscriptions of a publisher are drawn; the others are added up.
  private static let mostSubscriptions = 8

  private let meter: Meter
  private let purpose: OnPurpose
  let snapshots: @Sendable () -> [PublisherSnapshot]

  init(_ meter: Meter, _ purpose: OnPurpose, of snapshots: @escaping @Sendable () -> [PublisherSnapshot]) {
    (self.meter, self.purpose, self.snapshots) = (meter, purpose, snapshots)
  }

  /// Draws until the task is cancelled.
  func run() async {
    while !Task.isCancelled {
      if !picture.subscriptions.isEmpty { draw() } else if picture.state.phase != .unknown { picture.reset() }
      try? await Task.sleep(for: Self.interval)
    }
    picture.finish()
  }

  private func draw() {
    let fellBehind = Dictionary(meter.fellBehind.map { ("\($0)", $1) }, uniquingKeysWith: +)
    let drawing = Picture(
      seconds: started.duration(to: .now) / .seconds(1), publishers: snapshots().map(Self.shortened),
      fellBehind: fellBehind, delays: meter.delays, trouble: purpose.trouble)
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    guard let json = try? encoder.encode(drawing) else { return }
    picture.updateData(Array("event: picture\ndata: ".utf8) + json + Array("\n\n".utf8))
  }

  /// Sorts the subscriptions by context and label, and adds up all but the first of them.
  private static func shortened(_ snapshot: PublisherSnapshot) -> PublisherSnapshot {
    var snapshot = snapshot
    snapshot.subscriptions.sort { left, right in
      let (leftLabel, rightLabel) = (left.label ?? "", right.label ?? "")
      return (left.context, leftLabel.count, leftLabel) < (right.context, rightLabel.count, rightLabel)
    }
    guard snapshot.subscriptions.count > mostSubscriptions else { return snapshot }
    let others = snapshot.subscriptions.dropFirst(mostSubscriptions - 1)
    snapshot.subscriptions.removeLast(others.count)
    var sum = others[others.startIndex]
    sum.label = "\(others.count) more"
    for other in others.dropFirst() {
      sum.delivered += other.delivered
      sum.skipped += other.skipped
      sum.pending += other.pending
      sum.highWater = max(sum.highWater, other.highWater)
    }
    snapshot.subscriptions.append(sum)
    return snapshot
  }
}
