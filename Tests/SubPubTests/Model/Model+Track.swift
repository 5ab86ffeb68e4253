import SubPub

extension Model {
  /// What the model knows of one lane.
  final class Track {
    /// The subject that came first.
    let number: Int
    let runner: LaneRunner
    /// The thread that took it over last.
    var drainer: Int?
    /// The last delivery that began.
    var ordinal: UInt64 = 0
    var subject = -1

    /// The actor that the lane's context is.
    private(set) weak var actor: Mortal?
    private let hasActor: Bool

    init(_ number: Int, _ runner: LaneRunner, actor: Mortal?) {
      self.number = number
      self.runner = runner
      self.actor = actor
      hasActor = actor != nil
    }

    /// The context has died.
    var isGone: Bool { hasActor && actor == nil }

    var isImmediate: Bool { runner.delivery == .immediate }
  }
}
