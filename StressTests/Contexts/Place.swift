import Dispatch
import SubPub
import Synchronization

/// One context that deliveries may be declared for, and that can tell whether they run there (rule 2.03).
final class Place: @unchecked Sendable {
  let venue: Venue
  let context: DeliveryContext?
  /// To suspend it, or to run something else there.
  let queue: DispatchQueue?
  /// Names the place; the mark that its queue carries.
  let id: Int
  private let isMarked: Bool
  // Relaxed: see `DeliveryLog`.
  private let inside = Atomic<Bool>(false)
  /// Plain on purpose: what the context excludes is no race, and anything else is one that ThreadSanitizer sees.
  @exclusivity(unchecked) private var visits = 0

  private static let mark = DispatchSpecificKey<Int>()
  private static let last = Atomic<Int>(0)

  init(_ venue: Venue, _ context: DeliveryContext?, on queue: DispatchQueue? = nil) {
    id = Self.last.add(1, ordering: .relaxed).newValue
    self.venue = venue
    self.context = context
    self.queue = queue
    isMarked = queue != nil
    queue?.setSpecific(key: Self.mark, value: id)
  }

  /// A delivery begins. False: not where it should, or not alone where it should be.
  @inline(__always)
  func enter() -> Bool {
    if venue.isExclusive {
      guard !inside.exchange(true, ordering: .relaxed) else { return false }
      unsafe visits &+= 1
    }
    if isMarked { return DispatchQueue.getSpecific(key: Self.mark) == id }
    return venue != .background || !ThreadMark.isHammer
  }

  /// The delivery that begun has ended.
  @inline(__always)
  func leave() {
    if venue.isExclusive { inside.store(false, ordering: .relaxed) }
  }
}
