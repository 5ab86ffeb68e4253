/// Somebody waits until this lane has served what there was at one moment (rule 3.07).
package struct ServiceWait {
  package let waiter: WaiterID
  /// The newest state of that moment.
  package let ordinal: UInt64
  /// The lane's entries of that moment are those before this index.
  package var limit: Int

  /// Whether this is over when that state, from that entry on, is the first that is left.
  func isServed(before next: (ordinal: UInt64, from: Int)?) -> Bool {
    guard let next else { return true }
    return ordinal < next.ordinal || (ordinal == next.ordinal && limit <= next.from)
  }
}
