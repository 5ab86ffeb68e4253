import SubPub
import Support
import Synchronization

/// What one subscription has received.
///
/// Only its deliveries write this state, which needs no lock (2.09): ThreadSanitizer checks it.
final class DeliveryLog: @unchecked Sendable {
  /// What a subscriber does inside its callback.
  typealias Reaction = @Sendable (_ log: DeliveryLog, _ number: UInt32) -> Void

  /// Nil for a task, and for an actor that is its own context.
  let place: Place?
  private let reaction: Reaction?
  @exclusivity(unchecked) private var records: [Delivery] = []
  @exclusivity(unchecked) private var published: [Call] = []
  // Relaxed, so that the mark doesn't order what the library has to order. It only keeps an overlap, which is counted,
  // from breaking the array.
  private let isInside = Atomic<Bool>(false)
  private let overlapping = Atomic<Int>(0)
  private let diedAt = Atomic<UInt64>(0)
  private let alive = Countdown(1)

  init(at place: Place?, reaction: Reaction? = nil, capacity: Int = 0) {
    self.place = place
    self.reaction = reaction
    unsafe records.reserveCapacity(capacity)
  }

  @inline(__always)
  func record(_ publication: Publication<Payload>) {
    record(publication.state, version: UInt32(truncatingIfNeeded: publication.version))
  }

  func record(_ state: LoadState<Payload>, version: UInt32 = Delivery.unknownVersion) {
    record(number: state.value?.number ?? 0, phase: state.phase.code, version: version)
  }

  @inline(__always)
  func record(number: UInt32, phase: UInt8 = 2, version: UInt32 = Delivery.unknownVersion) {
    let begin = Stamp.now()
    guard !isInside.exchange(true, ordering: .relaxed) else {
      overlapping.add(1, ordering: .relaxed)
      return
    }
    let isInPlace = place?.enter() ?? true
    if let reaction { reaction(self, number) }
    place?.leave()
    unsafe records.append(
      Delivery(
        begin: begin, end: Stamp.now(), version: version, number: number, thread: ThreadMark.current, phase: phase,
        isInPlace: isInPlace, isOnTestThread: ThreadMark.isTestThread))
    isInside.store(false, ordering: .relaxed)
  }

  /// Adds a publishing call that the reaction makes.
  func add(_ call: Call) { unsafe published.append(call) }

  // To be read after the last delivery.
  var deliveries: [Delivery] { unsafe records }
  var calls: [Call] { unsafe published }

  /// Records the death of the subscriber, from its `deinit`.
  func died() {
    diedAt.store(Stamp.now(), ordering: .relaxed)
    alive.arrive()
  }

  /// Waits for the death of a released subscriber, which a thread may hold for a moment although it delivers nothing.
  func awaitDeath() async { _ = await alive.wait(seconds: 2) }

  var overlaps: Int { overlapping.load(ordering: .relaxed) }

  var death: UInt64? {
    let stamp = diedAt.load(ordering: .relaxed)
    return stamp == 0 ? nil : stamp
  }
}

/// Makes a delivery take a while, so that something can happen during it.
enum BusyWait {
  /// Waits for up to 4 microseconds, depending on the number.
  static func short(_ number: UInt32) { wait(UInt64(number % 8) * 500) }

  static func wait(_ nanoseconds: UInt64) {
    let end = Stamp.now() + nanoseconds
    while Stamp.now() < end {}
  }
}
