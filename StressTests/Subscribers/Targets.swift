import SubPub

/// All targets of a round; any thread may draw any.
final class Targets: Sendable {
  private let all = Guarded<[Target]>([])
  private let kept = Guarded<[Stage.Joined]>([])

  func add(_ target: Target) { all.with { $0.append(target) } }

  /// Somebody who isn't drawn.
  func keep(_ joined: Stage.Joined) { kept.with { $0.append(joined) } }

  /// Mostly one of the newest.
  func draw(_ random: inout SplitMix) -> Target? {
    let (far, near) = (random.draw(4) == 0, random.next())
    return all.with { all in
      guard !all.isEmpty else { return nil }
      let window = far ? all.count : min(all.count, 8)
      return all[all.count - 1 - Int(near % UInt64(window))]
    }
  }

  var members: [Member] { all.with { $0.map(\.joined.member) } + kept.with { $0.map(\.member) } }
}
