import SubPub
import Synchronization

/// What one subscription has received. Plain state that only its deliveries write: rule 2.09 says that this is allowed,
/// and ThreadSanitizer sees when it isn't.
final class DeliveryLog: @unchecked Sendable {
  /// What a subscriber does inside its callback.
  typealias Reaction = @Sendable (_ log: DeliveryLog, _ number: UInt32) -> Void

  let place: Place
  private let reaction: Reaction?
  @exclusivity(unchecked) private var records: [DeliveryRecord] = []
  @exclusivity(unchecked) private var published: [Call] = []
  // Relaxed on purpose: the mark must not order what the library has to order. It only keeps an overlap, which is
  // counted, from breaking the array.
  private let inside = Atomic<Bool>(false)
  private let overlapping = Atomic<Int>(0)
  private let diedAt = Atomic<UInt64>(0)

  init(at place: Place, reaction: Reaction? = nil, capacity: Int = 0) {
    self.place = place
    self.reaction = reaction
    unsafe records.reserveCapacity(capacity)
  }

  @inline(__always)
  func record(_ publication: Publication<Payload>) {
    record(publication.state, version: UInt32(truncatingIfNeeded: publication.version))
  }

  func record(_ state: LoadState<Payload>, version: UInt32 = DeliveryRecord.unknownVersion) {
    record(number: state.value?.number ?? 0, phase: state.phase.code, version: version)
  }

  @inline(__always)
  func record(number: UInt32, phase: UInt8 = 2, version: UInt32 = DeliveryRecord.unknownVersion) {
    let begin = Stamp.now()
    guard !inside.exchange(true, ordering: .relaxed) else {
      overlapping.add(1, ordering: .relaxed)
      return
    }
    let isInPlace = place.enter()
    if let reaction { reaction(self, number) }
    place.leave()
    unsafe records.append(
      DeliveryRecord(
        begin: begin, end: Stamp.now(), version: version, number: number, thread: ThreadMark.current, phase: phase,
        isInPlace: isInPlace, isOnHammer: ThreadMark.isHammer))
    inside.store(false, ordering: .relaxed)
  }

  /// A publishing call of the reaction, inside a delivery.
  func note(_ call: Call) { unsafe published.append(call) }

  /// When everything is over.
  var deliveries: [DeliveryRecord] { unsafe records }
  var calls: [Call] { unsafe published }

  /// From the subscriber's `deinit`.
  func died() { diedAt.store(Stamp.now(), ordering: .relaxed) }

  var overlaps: Int { overlapping.load(ordering: .relaxed) }

  var death: UInt64? {
    let stamp = diedAt.load(ordering: .relaxed)
    return stamp == 0 ? nil : stamp
  }
}
