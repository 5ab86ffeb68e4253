/// The subscriptions of a lane, in the order in which they subscribed.
///
/// The thread that serves the lane reads a *snapshot* of the list outside every turn, without a lock and without
/// retaining anything. That is sound because, while a snapshot is in use:
///
/// 1. Nothing moves. New subscriptions are appended behind the snapshot, and if the memory has to grow, the old memory
///    stays until the snapshot is returned.
/// 2. A closure is removed only after its subscription's gate was closed with no delivery under way, and no closure is
///    called without passing the gate.
///
/// Isolated by a registry; not `Sendable`.
@safe
final class SubscriptionList {
  /// A subscription, retained by hand, and its subscriber's code.
  ///
  /// Not copyable: a copy would retain the closure, which another thread may be removing.
  @safe
  struct Entry: ~Copyable {
    let subscription: Unmanaged<Subscription>
    var deliver: Deliver

    /// Calls the closure without retaining it.
    @inline(__always)
    borrowing func call(_ subscriber: any AnyObject & Sendable, _ state: any BoxedPublication) {
      deliver(subscriber, state)
    }

    /// The placeholder for a closure that was removed; the subscription's slot records the removal.
    static let vacant: Deliver = { _, _ in }
  }

  /// The subscriptions at the time when the lane began to serve a state; see ``SubscriptionList``.
  @safe
  struct Snapshot {
    private let base: UnsafeMutablePointer<Entry>
    let count: Int

    fileprivate init(base: UnsafeMutablePointer<Entry>, count: Int) {
      unsafe self.base = base
      self.count = count
    }

    /// Passes one subscription to `body` without retaining it.
    @inline(__always)
    func visit<R>(_ slot: Int, _ body: (Subscription) -> R) -> R {
      unsafe base[slot].subscription._withUnsafeGuaranteedRef { body($0) }
    }

    /// Runs the subscriber's code; only for a delivery that has passed the gate.
    @inline(__always)
    func deliver(_ slot: Int, to subscriber: any AnyObject & Sendable, _ state: any BoxedPublication) {
      unsafe base[slot].call(subscriber, state)
    }
  }

  // Accessed only in turns. Turns exclude each other, so a dynamic exclusivity check would find nothing.
  @exclusivity(unchecked) private var base: UnsafeMutablePointer<Entry>
  private var capacity: Int
  @exclusivity(unchecked) private var used = 0
  @exclusivity(unchecked) private var outgrown: [UnsafeMutablePointer<Entry>]
  /// The number of entries without closures.
  private var vacated = 0
  /// A slot before which no subscription is open.
  private var openFrom = 0

  init() {
    capacity = 2
    unsafe base = .allocate(capacity: capacity)
    unsafe outgrown = []
  }

  deinit {
    for slot in 0..<count { unsafe base[slot].subscription.release() }
    unsafe base.deinitialize(count: count)
    unsafe base.deallocate()
    freeOutgrown()
  }

  /// The number of entries, including vacated ones.
  private(set) var count: Int {
    get { unsafe used }
    set { unsafe used = newValue }
  }

  var snapshot: Snapshot { unsafe Snapshot(base: base, count: count) }

  subscript(slot: Int) -> Subscription { unsafe base[slot].subscription.takeUnretainedValue() }

  /// The subscriptions that aren't cancelled.
  var open: [Subscription] {
    var found: [Subscription] = []
    forEachOpen { subscription, _ in found.append(subscription) }
    return found
  }

  /// The first subscription that isn't cancelled; found in amortized constant time, because new ones are appended.
  var firstOpen: Subscription? {
    while openFrom < count, !self[openFrom].gate.isOpen { openFrom += 1 }
    return openFrom < count ? self[openFrom] : nil
  }

  /// Passes each open subscription to `body`, with what its gate contains, without retaining it.
  func forEachOpen(_ body: (Subscription, DeliveryGate.Reading) -> Void) {
    for slot in 0..<count {
      unsafe base[slot].subscription._withUnsafeGuaranteedRef {
        let reading = $0.gate.reading
        if !reading.isClosed { body($0, reading) }
      }
    }
  }

  /// Appends the open subscriptions of any object that lives, or has lived, at an address.
  func appendOpen(of object: ObjectIdentifier, to found: inout [Subscription]) {
    for slot in 0..<count {
      unsafe base[slot].subscription._withUnsafeGuaranteedRef {
        if $0.subscriberID == object, $0.gate.isOpen { found.append($0) }
      }
    }
  }

  func append(_ subscription: Subscription, _ deliver: @escaping Deliver, snapshotIsOut: Bool) {
    if count == capacity { grow(keepingOld: snapshotIsOut) }
    subscription.slot = count
    unsafe (base + count).initialize(to: Entry(subscription: .passRetained(subscription), deliver: deliver))
    count += 1
  }

  /// Removes the closure and returns it, to be released outside the turn; called once for each entry.
  func vacate(_ slot: Int) -> Deliver {
    self[slot].slot = -1
    vacated += 1
    let deliver = unsafe base[slot].deliver
    unsafe base[slot].deliver = Entry.vacant
    return deliver
  }

  /// Whether so many entries are vacated that it is worth moving the others.
  var isSparse: Bool { vacated > 16 + count / 2 }

  private func isVacant(_ slot: Int) -> Bool { self[slot].slot < 0 }

  /// Removes vacated entries at the end, and all vacated entries once there are many.
  ///
  /// Only while no snapshot is in use. Passes a function to `moved` that maps an old slot to the new slot of the first
  /// entry at or after it.
  func compact(moved: (_ newSlot: (Int) -> Int) -> Void) {
    freeOutgrown()
    let before = count
    while count > 0, isVacant(count - 1) { removeLast() }
    if count < before {
      openFrom = min(openFrom, count)
      moved { [count] in min($0, count) }
    }
    guard isSparse else { return }
    var newSlots: [Int] = []
    newSlots.reserveCapacity(count)
    var next = 0
    for slot in 0..<count {
      newSlots.append(next)
      if isVacant(slot) {
        unsafe base[slot].subscription.release()
        unsafe (base + slot).deinitialize(count: 1)
      } else {
        if next != slot {
          unsafe (base + next).moveInitialize(from: base + slot, count: 1)
          self[next].slot = next
        }
        next += 1
      }
    }
    openFrom = openFrom < newSlots.count ? newSlots[openFrom] : next
    (count, vacated) = (next, 0)
    moved { $0 < newSlots.count ? newSlots[$0] : next }
  }

  /// Frees memory that a snapshot may have used; only while no snapshot is in use.
  private func freeOutgrown() {
    while let memory = unsafe outgrown.popLast() { unsafe memory.deallocate() }
  }

  private func removeLast() {
    count -= 1
    vacated -= 1
    unsafe base[count].subscription.release()
    unsafe (base + count).deinitialize(count: 1)
  }

  private func grow(keepingOld: Bool) {
    let larger = UnsafeMutablePointer<Entry>.allocate(capacity: capacity * 2)
    // Moves the bits, and the references with them. A snapshot continues to read the old ones.
    unsafe larger.moveInitialize(from: base, count: count)
    if keepingOld { unsafe outgrown.append(base) } else { unsafe base.deallocate() }
    unsafe base = larger
    capacity *= 2
  }
}
