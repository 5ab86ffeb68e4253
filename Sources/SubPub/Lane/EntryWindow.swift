/// The entries that a drain visits, frozen as they were when it took them. See `EntryList` for why that is sound.
@safe
package struct EntryWindow {
  private let base: UnsafeMutablePointer<EntryList.Entry>
  package let count: Int

  init(base: UnsafeMutablePointer<EntryList.Entry>, count: Int) {
    unsafe self.base = base
    self.count = count
  }

  /// Hands out one subscription, without retaining it.
  @inline(__always)
  package func visit(_ index: Int, _ body: (Subscription) -> Void) {
    unsafe base[index].subscription._withUnsafeGuaranteedRef { body($0) }
  }

  /// Runs the subscriber's code. Only for one who has passed the gate.
  @inline(__always)
  package func deliver(_ index: Int, to subscriber: any AnyObject & Sendable, _ state: any Stamped) {
    unsafe base[index].call(subscriber, state)
  }
}
