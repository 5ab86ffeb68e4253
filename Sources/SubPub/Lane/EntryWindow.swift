/// The entries that a drain visits, frozen as they were when it took them. See `EntryList` for why that is sound.
@safe
struct EntryWindow {
  private let base: UnsafeMutablePointer<EntryList.Entry>
  let count: Int

  init(base: UnsafeMutablePointer<EntryList.Entry>, count: Int) {
    unsafe self.base = base
    self.count = count
  }

  /// Hands out one entry, without retaining anything.
  @inline(__always)
  func visit(_ index: Int, _ body: (Subscription, borrowing EntryList.Entry) -> Void) {
    unsafe base[index].subscription._withUnsafeGuaranteedRef { unsafe body($0, base[index]) }
  }
}
