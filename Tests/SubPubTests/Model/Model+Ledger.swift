import Synchronization

extension Model {
  /// What foreign things tell when they are called and when they die.
  final class Ledger: Sendable {
    // One thread runs a model; atomics only because what writes here has to be `Sendable`.
    private let living = Atomic<UInt64>(0)
    private let turn = Atomic<Bool>(false)
    private let deathInTurn = Atomic<Bool>(false)
    private let call = Atomic<Int>(-1)

    func born(_ mark: UInt64) { living.bitwiseOr(mark, ordering: .relaxed) }

    func died(_ mark: UInt64) {
      living.bitwiseAnd(~mark, ordering: .relaxed)
      if turn.load(ordering: .relaxed) { deathInTurn.store(true, ordering: .relaxed) }
    }

    func isAlive(_ kind: Mortal.Kind, _ number: Int) -> Bool {
      living.load(ordering: .relaxed) & kind.mark(number) != 0
    }

    /// How many states somebody holds.
    var states: Int { (living.load(ordering: .relaxed) & Mortal.Kind.states).nonzeroBitCount }

    func turn(_ isOn: Bool) { turn.store(isOn, ordering: .relaxed) }

    /// Something foreign was released inside a turn.
    var sawDeathInTurn: Bool { deathInTurn.load(ordering: .relaxed) }

    /// A subscriber's closure runs.
    func called(_ subject: Int) { call.store(subject, ordering: .relaxed) }

    func takeCall() -> Int { call.exchange(-1, ordering: .relaxed) }
  }
}
