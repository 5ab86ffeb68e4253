#if Redis
  import SubPub

  /// A time of the continuous clock.
  ///
  /// The compiler knows its layout, unlike that of `ContinuousClock.Instant`: values that hold one of those are copied,
  /// compared, and destroyed by way of tables at run time, and thousands of idle outlets do so every second.
  struct Moment: Comparable, Sendable {
    private static let start = ContinuousClock.now

    private let time: Duration

    private init(time: Duration) { self.time = time }

    init(_ instant: ContinuousClock.Instant) { time = Self.start.duration(to: instant) }

    static var now: Moment { Moment(.now) }

    var instant: ContinuousClock.Instant { Self.start + time }

    static func + (moment: Moment, duration: Duration) -> Moment { Moment(time: moment.time + duration) }

    func duration(to other: Moment) -> Duration { other.time - time }

    static func < (left: Moment, right: Moment) -> Bool { left.time < right.time }
  }

  /// Something that a loop's thread does at a time.
  protocol LoopTimer: AnyObject, Sendable {
    func fire()
  }

  /// The timers of a loop, in the order of their times; many have the same.
  ///
  /// A timer that is set anew stays where it was, too, which counts no more.
  struct TimerQueue {
    typealias Instant = ContinuousClock.Instant

    private struct Bucket {
      /// In nanoseconds: an instant is slower to compare.
      let time: Int64
      var timers: [any LoopTimer]
    }

    private static let start = Instant.now
    private var buckets: [Bucket] = []
    private var times: [ObjectIdentifier: Int64] = [:]

    var isEmpty: Bool { times.isEmpty }
    /// When the next one fires; or sooner, if it was set anew.
    var first: Instant? { buckets.first.map { Self.start + .nanoseconds($0.time) } }

    /// Nanoseconds since some time, and never fewer than there are.
    private static func nanoseconds(_ time: Instant) -> Int64 {
      let parts = start.duration(to: time).components
      return parts.seconds * 1_000_000_000 + parts.attoseconds / 1_000_000_000 + 1
    }

    /// Returns whether no other one fires as soon.
    mutating func set(_ timer: any LoopTimer, to time: Instant?) -> Bool {
      let (time, former) = (time.map(Self.nanoseconds), times[ObjectIdentifier(timer)])
      times[ObjectIdentifier(timer)] = time
      // What is left has no timer that counts, and would end the next wait.
      if times.isEmpty { buckets = [] }
      guard let time, former != time else { return false }
      var (low, high) = (0, buckets.count)
      while low < high {
        let middle = (low + high) / 2
        if buckets[middle].time < time { low = middle + 1 } else { high = middle }
      }
      if low < buckets.count, buckets[low].time == time {
        buckets[low].timers.append(timer)
        return false
      }
      buckets.insert(Bucket(time: time, timers: [timer]), at: low)
      return low == 0
    }

    /// Removes the timers that fire now, and returns them in the order of their times.
    mutating func takeDue(at now: Instant) -> [any LoopTimer] {
      let now = Self.nanoseconds(now)
      let count = buckets.firstIndex { $0.time > now } ?? buckets.count
      var due: [any LoopTimer] = []
      for bucket in buckets[..<count] {
        for timer in bucket.timers where times[ObjectIdentifier(timer)] == bucket.time {
          times[ObjectIdentifier(timer)] = nil
          due.append(timer)
        }
      }
      buckets.removeFirst(count)
      return due
    }
  }
#endif
