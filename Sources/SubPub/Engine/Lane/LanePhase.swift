import Synchronization

/// What a lane is doing.
///
/// ```
///            a state arrives              its context calls            time slice over
///     idle ───────────────────▶ scheduled ───────────────▶ serving ◀──────────────────▶ paused
///      ▲ │                          │                      │  ▲      its context calls
///      │ └──────────────────────────┼──────────────────────┼──┘
///      │   a state arrives, and the publishing thread      │
///      │   serves the lane itself   │                      │
///      └────────────────────────────┴──────────────────────┘
///            the context is gone          nothing is left
/// ```
///
/// | from | to | by |
/// |---|---|---|
/// | idle | scheduled | a turn that puts a state into the lane, and wakes it |
/// | idle, scheduled | serving | a turn of a thread that publishes or subscribes, for immediate delivery |
/// | scheduled, paused | serving | the first turn of the thread that the lane's context gave it |
/// | serving | serving | a turn that takes the next batch |
/// | serving | paused | the turn that puts the rest of a batch aside, and wakes the lane again |
/// | serving | idle | a turn that finds nothing pending, or the serving thread without a turn if nothing has come |
/// | any | idle | the turn that ends a lane whose context is gone |
///
/// The lane of an iterator is always idle: nobody serves it, and the iterator takes its states.
enum LanePhase: UInt8 {
  /// Nothing is pending and nothing under way.
  case idle
  /// The lane was woken, and its context hasn't called yet.
  case scheduled
  /// The same, with the rest of a batch put aside.
  case paused
  /// A thread delivers.
  case serving

  /// What others ask of the thread that serves the lane. Only while serving.
  struct Requests: OptionSet {
    let rawValue: UInt8
    /// More is pending: don't end without a turn.
    static let more = Requests(rawValue: 1 << 2)
    /// Take a turn before the next delivery.
    static let attention = Requests(rawValue: 1 << 3)
    /// Take a turn once the states are served that a `drain()` waits for.
    static let progress = Requests(rawValue: 1 << 4)
  }
}

/// The phase of a lane and the requests to its serving thread, in one atomic word, so that serving can end without a turn.
///
/// Everything is written inside turns, with one exception: the serving thread goes from "serving, without requests" to
/// idle by a compare-and-swap. So within a turn, idle is certain, and a request must be made by a swap that can fail.
struct AtomicLanePhase: ~Copyable {
  private let word = Atomic<UInt8>(LanePhase.idle.rawValue)
  private let point: SchedulingPoint
  private static let phaseBits: UInt8 = 0b11

  init(_ point: SchedulingPoint) { self.point = point }

  // Finding the lane idle acquires what its last serving thread has done.
  @inline(__always) var isIdle: Bool { word.load(ordering: .acquiring) == LanePhase.idle.rawValue }
  @inline(__always) var current: LanePhase {
    // Two bits, and each of their values is a phase.
    LanePhase(rawValue: word.load(ordering: .acquiring) & Self.phaseBits) ?? .idle
  }
  /// Woken, and not served yet.
  var isAwaitingContext: Bool { current == .scheduled || current == .paused }

  /// Whether others have asked the serving thread for any of these.
  @inline(__always) func hasRequest(_ requests: LanePhase.Requests) -> Bool {
    point.reach(.read)
    return word.load(ordering: .acquiring) & requests.rawValue != 0
  }

  /// In a turn. Goes to another phase, without requests.
  @inline(__always) func enter(_ phase: LanePhase) {
    assert(
      phase != .paused || current == .serving, "only a lane that is served can be paused, and this one is \(current)")
    assert(phase != .scheduled || current == .idle, "a lane is woken once, and this one is \(current)")
    word.store(phase.rawValue, ordering: .releasing)
  }

  /// In a turn. False if no thread serves the lane.
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

  /// In a turn of the serving thread, or while nobody serves: these requests have been met.
  func clear(_ requests: LanePhase.Requests) {
    let seen = word.load(ordering: .relaxed)
    let left = seen & ~requests.rawValue
    if left != seen { word.store(left, ordering: .releasing) }
  }

  /// Without a turn, on the serving thread: ends if nothing has come meanwhile. Releases what this thread has done.
  @inline(__always) func finishWithoutTurn() -> Bool {
    point.reach(.write)
    return word.compareExchange(
      expected: LanePhase.serving.rawValue, desired: LanePhase.idle.rawValue, ordering: .acquiringAndReleasing
    ).exchanged
  }
}
