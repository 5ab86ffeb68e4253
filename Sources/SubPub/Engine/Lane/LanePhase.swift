import Synchronization

/// The phase of a lane.
///
/// | from | to | by |
/// |---|---|---|
/// | idle | scheduled | a turn that gives the lane something to do, and wakes it |
/// | idle | serving | a turn of a thread that publishes or subscribes, for immediate delivery |
/// | scheduled | serving | the first turn of the thread on which the lane's context calls |
/// | serving | serving | the turn that takes the next batch |
/// | serving | scheduled | a turn that leaves the rest: the time slice is over, or others had enough delivered (2.03) |
/// | serving | idle | a turn that finds nothing pending, or the serving thread without a turn if nothing has arrived |
/// | idle, scheduled | idle | the turn that ends a lane whose context is gone |
///
/// The lane of an iterator is always idle: no thread serves it, and the iterator takes its states.
enum LanePhase: UInt8 {
  /// Nothing is under way, and nothing is pending unless the lane has to wait (2.06, 2.12).
  case idle
  /// The lane was woken, and its context hasn't called yet.
  case scheduled
  /// A thread is delivering.
  case serving

  /// Requests to the thread that serves the lane, only while it is serving; in its turns, it makes some itself.
  struct Requests: OptionSet {
    let rawValue: UInt8
    /// More is pending: don't finish without a turn.
    static let more = Requests(rawValue: 1 << 2)
    /// Take a turn when the round is over.
    static let attention = Requests(rawValue: 1 << 3)
  }
}

/// The phase of a lane and the requests to its serving thread, in one atomic word.
///
/// So serving can end without a turn. Everything is written inside turns, with one exception: the serving thread goes
/// from "serving, without requests" to idle by a compare-and-swap. So within a turn, idle is certain, and a request
/// must be made by a swap that can fail.
struct AtomicLanePhase: ~Copyable {
  private let word = Atomic<UInt8>(LanePhase.idle.rawValue)
  let point: SchedulingPoint
  private static let phaseBits: UInt8 = 0b11

  init(_ point: SchedulingPoint) { self.point = point }

  // Finding the lane idle acquires the effects of its last serving thread.
  @inline(__always) var isIdle: Bool { word.load(ordering: .acquiring) == LanePhase.idle.rawValue }
  @inline(__always) var current: LanePhase {
    // Nothing but phases is stored in these bits.
    LanePhase(rawValue: word.load(ordering: .acquiring) & Self.phaseBits) ?? .idle
  }

  /// Whether the request was made.
  @inline(__always) func hasRequest(_ request: LanePhase.Requests) -> Bool {
    point.reach(.read)
    return word.load(ordering: .acquiring) & request.rawValue != 0
  }

  /// Enters another phase, without requests; in a turn.
  @inline(__always) func enter(_ phase: LanePhase) {
    assert(phase != .scheduled || current != .scheduled, "a lane is woken once, and this one is scheduled")
    word.store(phase.rawValue, ordering: .releasing)
  }

  /// Makes a request, in a turn; returns false if no thread serves the lane.
  ///
  /// Releases what the turn has decided; `hasRequest` acquires it.
  @inline(__always) func request(_ request: LanePhase.Requests) -> Bool {
    point.reach(.write)
    var seen = word.load(ordering: .acquiring)
    while seen & Self.phaseBits == LanePhase.serving.rawValue {
      if seen & request.rawValue != 0 { return true }
      let (exchanged, original) = word.compareExchange(
        expected: seen, desired: seen | request.rawValue, ordering: .acquiringAndReleasing)
      if exchanged { return true }
      seen = original
    }
    return false
  }

  /// Clears requests that were handled, in a turn of the serving thread.
  func clear(_ requests: LanePhase.Requests) {
    let seen = word.load(ordering: .relaxed)
    let left = seen & ~requests.rawValue
    if left != seen { word.store(left, ordering: .releasing) }
  }

  /// Finishes serving without a turn, unless something has arrived in the meantime.
  ///
  /// On the serving thread. Releases the effects of its deliveries.
  @inline(__always) func finishWithoutTurn() -> Bool {
    point.reach(.write)
    return word.compareExchange(
      expected: LanePhase.serving.rawValue, desired: LanePhase.idle.rawValue, ordering: .acquiringAndReleasing
    ).exchanged
  }
}
