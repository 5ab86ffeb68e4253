/// The subscriptions of a lane, in the order in which they subscribed.
///
/// A drain reads a *window* of it outside the turn, without a lock and without retaining anything. That is sound
/// because while a window is out (1) nothing moves: newcomers go behind it, and when the memory grows, the old memory
/// stays until the window is back; (2) an entry's closure is taken away only by one who closed the entry's gate
/// and found no delivery under way, and nobody calls a closure without passing the gate.
///
/// Belongs to a registry's isolation; not `Sendable`.
@safe
package final class EntryList {
  /// One subscription, retained by hand, and its subscriber's code. Not copyable: to read the closure is for those who
  /// have passed the gate.
  @safe
  struct Entry: ~Copyable {
    let subscription: Unmanaged<Subscription>
    var deliver: Deliver

    /// Not a copy: nothing is retained for the call.
    @inline(__always)
    borrowing func call(_ subscriber: any AnyObject & Sendable, _ state: any Stamped) { deliver(subscriber, state) }

    /// Taken away: the subscription's slot says so.
    static let nothing: Deliver = { _, _ in }
  }

  // Accessed in turns only, which exclude each other: the dynamic checks would find nothing.
  @exclusivity(unchecked) private var base: UnsafeMutablePointer<Entry>
  private var capacity: Int
  @exclusivity(unchecked) private var used = 0
  @exclusivity(unchecked) private var outgrown: [UnsafeMutablePointer<Entry>]
  /// Entries whose closures are gone.
  private(set) var vacated = 0

  init() {
    capacity = 2
    unsafe base = .allocate(capacity: capacity)
    unsafe outgrown = []
  }

  deinit {
    for index in 0..<count { unsafe base[index].subscription.release() }
    unsafe base.deinitialize(count: count)
    unsafe base.deallocate()
    freeOutgrown()
  }

  /// How many entries there are, vacated ones included.
  package private(set) var count: Int {
    get { unsafe used }
    set { unsafe used = newValue }
  }

  /// What a drain visits.
  var window: EntryWindow { unsafe EntryWindow(base: base, count: count) }

  /// The subscription there; nil behind the last.
  func at(_ index: Int) -> Subscription? { index < count ? self[index] : nil }

  package subscript(index: Int) -> Subscription { unsafe base[index].subscription.takeUnretainedValue() }

  /// The entries of whatever lives, or lived, at that place, that are not cancelled.
  func appendOpen(of object: ObjectIdentifier, to found: inout [Subscription]) {
    for index in 0..<count {
      unsafe base[index].subscription._withUnsafeGuaranteedRef {
        if $0.subscriberID == object, $0.gate.closedAt == nil { found.append($0) }
      }
    }
  }

  func append(_ subscription: Subscription, _ deliver: @escaping Deliver, windowIsOut: Bool) {
    if count == capacity { grow(keepingOld: windowIsOut) }
    subscription.slot = count
    unsafe (base + count).initialize(
      to: Entry(subscription: .passRetained(subscription), deliver: deliver))
    count += 1
  }

  /// Takes the closure away; the caller lets go of it outside the turn. Nil if it is gone.
  func vacate(_ index: Int) -> Deliver? {
    guard !isVacant(index) else { return nil }
    self[index].slot = -1
    vacated += 1
    let deliver = unsafe base[index].deliver
    unsafe base[index].deliver = Entry.nothing
    return deliver
  }

  private func isVacant(_ index: Int) -> Bool { self[index].slot < 0 }

  /// Removes vacated entries when they are many, or at the end. Only while no window is out. Calls back with the new
  /// index of what comes at or after an old one.
  func compact(moved: (_ new: (Int) -> Int) -> Void) {
    freeOutgrown()
    let before = count
    while count > 0, isVacant(count - 1) { dropLast() }
    if count < before { moved { [count] in min($0, count) } }
    guard vacated > 16 + count / 2 else { return }
    var survivors: [Int] = []
    survivors.reserveCapacity(count + 1)
    var next = 0
    for index in 0..<count {
      survivors.append(next)
      if isVacant(index) {
        unsafe base[index].subscription.release()
        unsafe (base + index).deinitialize(count: 1)
      } else {
        if next != index {
          unsafe (base + next).moveInitialize(from: base + index, count: 1)
          self[next].slot = next
        }
        next += 1
      }
    }
    (count, vacated) = (next, 0)
    moved { $0 < survivors.count ? survivors[$0] : next }
  }

  /// Frees memory that a window may still have shown. Only while no window is out.
  func freeOutgrown() {
    while let memory = unsafe outgrown.popLast() { unsafe memory.deallocate() }
  }

  private func dropLast() {
    count -= 1
    vacated -= 1
    unsafe base[count].subscription.release()
    unsafe (base + count).deinitialize(count: 1)
  }

  private func grow(keepingOld: Bool) {
    let larger = UnsafeMutablePointer<Entry>.allocate(capacity: capacity * 2)
    // The bits move, and with them what they own; a window goes on reading the old ones.
    unsafe larger.moveInitialize(from: base, count: count)
    if keepingOld { unsafe outgrown.append(base) } else { unsafe base.deallocate() }
    unsafe base = larger
    capacity *= 2
  }
}
