import Dispatch
import SubPub
import Synchronization

/// A subscription that is there to be cancelled.
final class Target: Sendable {
  let joined: Stage.Joined
  private let prey: Prey

  /// What a callback knows of its own subscription.
  private final class Prey: Sendable {
    /// Nothing, during the first replay. Weak: the member's log holds the callback, which holds this.
    private let member = Guarded(Known())

    private struct Known: Sendable { weak var member: Member? }
    // Only to meet; nothing is ordered by them.
    private let isHunted = Atomic<Bool>(false)
    private let isUnderWay = Atomic<Bool>(false)
    private static let patience: UInt64 = 50_000

    func set(_ new: Member) { member.with { $0.member = new } }
    var value: Member? { member.with { $0.member } }

    /// A delivery that takes a while, and longer when somebody waits for it.
    func linger(_ number: UInt32) {
      isUnderWay.store(true, ordering: .relaxed)
      Pause.short(number)
      if isHunted.load(ordering: .relaxed) { Pause.of(Self.patience / 2) }
      isUnderWay.store(false, ordering: .relaxed)
    }

    /// Waits a little for a delivery to be under way.
    func hunt() {
      isHunted.store(true, ordering: .relaxed)
      let end = Stamp.now() + Self.patience
      while !isUnderWay.load(ordering: .relaxed), Stamp.now() < end {}
    }

    func leave() { isHunted.store(false, ordering: .relaxed) }
  }

  init(_ stage: Stage, _ random: inout SplitMix, by joiner: Int, order: Int) {
    let prey = Prey()
    let cancelsItself = random.draw(2) == 0
    joined = stage.join(.draw(&random), by: joiner, order: order) { _, number in
      prey.linger(number)
      if cancelsItself, number % 2 == 0 { prey.value?.cancel(isOnOwnContext: true) }
    }
    prey.set(joined.member)
    self.prey = prey
  }

  /// From here, from its own context, or with a wait.
  func cancel(_ random: inout SplitMix, _ pending: DispatchGroup) {
    let member = joined.member
    switch random.draw(8) {
    case 0 where member.role.place.venue.isExclusive && member.role.place.queue != nil:
      pending.enter()
      member.role.place.queue?.async {
        member.cancel(isOnOwnContext: true)
        pending.leave()
      }
    case 1:
      pending.enter()
      Task.detached {
        await member.cancelAndWait()
        pending.leave()
      }
    case 2: member.read()
    case 3...5:
      prey.hunt()
      member.cancel()
      prey.leave()
    default: member.cancel()
    }
  }
}
