#if Redis
  import SubPub

  /// A time of the continuous clock.
  ///
  /// The compiler knows its layout, unlike that of `ContinuousClock.Instant`: values that hold one of those are copied,
  /// compared, and destroyed by way of tables at run time, which thousands of idle outlets and mirrors do every second.
  struct Moment: Comparable, Sendable {
    private static let start = ContinuousClock.now

    private let time: Duration

    private init(time: Duration) { self.time = time }

    static var now: Moment { Moment(time: start.duration(to: .now)) }

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
    private struct Bucket {
      let time: Moment
      var timers: [any LoopTimer]
    }

    private var buckets: [Bucket] = []
    private var times: [ObjectIdentifier: Moment] = [:]

    var isEmpty: Bool { times.isEmpty }
    /// When the next one fires; or sooner, if it was set anew.
    var first: Moment? { buckets.first?.time }

    /// Returns whether no other one fires as soon.
    mutating func set(_ timer: any LoopTimer, to time: Moment?) -> Bool {
      let former = times[ObjectIdentifier(timer)]
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
    mutating func takeDue(at now: Moment) -> [any LoopTimer] {
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
