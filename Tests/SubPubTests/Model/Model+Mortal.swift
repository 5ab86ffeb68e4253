import SubPub
import Synchronization

extension Model {
  /// Something of the user's whose `deinit` counts: a published state, a subscriber, what a closure captures.
  final class Mortal: Stamped {
    enum Kind: Int {
      case state = 0
      case closure = 48
      case subscriber = 56

      func mark(_ number: Int) -> UInt64 { 1 << UInt64(rawValue + number) }
      static let states: UInt64 = 1 << 48 - 1
    }

    private let mark: UInt64
    private let ledger: Ledger
    private let stamped = Atomic<UInt64>(0)

    init(_ kind: Kind, _ number: Int, _ ledger: Ledger) {
      mark = kind.mark(number)
      self.ledger = ledger
      ledger.born(mark)
    }

    deinit { ledger.died(mark) }

    func stamp(_ version: UInt64) { stamped.store(version, ordering: .relaxed) }

    var version: UInt64 { stamped.load(ordering: .relaxed) }
  }
}
