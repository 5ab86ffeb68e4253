/// What one subscriber received, through one subscription or, where it replaced another, through several.
final class Inbox {
  struct Received {
    let version: UInt64
    let content: Content
    let strand: Int
    let begin: Int
    var end: Int?
  }

  let number: Int
  /// What it does in its own callback.
  var reaction: ((Simulation) -> Void)?
  /// Held here, until a client lets it go.
  var subscriber: StandInSubscriber?
  var deliveries: [Received] = []
  var members: [SimulatedSubscription] = []
  var letGoAt: Int?
  var diedAt: Int?
  /// Something that was wrong when it was seen.
  var problems: [String] = []

  init(number: Int) { self.number = number }

  var isUnderWay: Bool { deliveries.contains { $0.end == nil } }
}
