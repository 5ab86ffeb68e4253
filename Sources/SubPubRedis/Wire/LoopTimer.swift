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

    /// A hundred years are the most: no sum of those is too large.
    static func + (moment: Moment, duration: Duration) -> Moment {
      Moment(time: moment.time + min(duration, .unlimited))
    }

    func duration(to other: Moment) -> Duration { other.time - time }

    static func < (left: Moment, right: Moment) -> Bool { left.time < right.time }
  }

  /// Something that a loop's thread does at a time.
  protocol LoopTimer: AnyObject, Sendable {
    func fire()
  }

  /// The timers of a loop, in the order of their times; many have the same.
  struct TimerQueue {
    private struct Bucket {
      let time: Moment
      var timers: [any LoopTimer]
    }

    private var buckets: [Bucket] = []
    private var times: [ObjectIdentifier: Moment] = [:]

    var isEmpty: Bool { times.isEmpty }
    /// When the next one fires.
    var first: Moment? { buckets.first?.time }

    /// Returns whether no other one fires as soon.
    mutating func set(_ timer: any LoopTimer, to time: Moment?) -> Bool {
      let former = times[ObjectIdentifier(timer)]
      if former == time { return false }
      times[ObjectIdentifier(timer)] = time
      if let former { remove(timer, at: former) }
      guard let time else { return false }
      let index = index(of: time)
      if index < buckets.count, buckets[index].time == time {
        buckets[index].timers.append(timer)
        return false
      }
      buckets.insert(Bucket(time: time, timers: [timer]), at: index)
      return index == 0
    }

    private mutating func remove(_ timer: any LoopTimer, at time: Moment) {
      let index = index(of: time)
      buckets[index].timers.removeAll { $0 === timer }
      if buckets[index].timers.isEmpty { buckets.remove(at: index) }
    }

    /// The place of the first bucket that isn't before a time.
    private func index(of time: Moment) -> Int { buckets.lowerBound { $0.time < time } }

    /// Removes the timers that fire now, and returns them in the order of their times.
    mutating func takeDue(at now: Moment) -> [any LoopTimer] {
      let count = buckets.firstIndex { $0.time > now } ?? buckets.count
      var due: [any LoopTimer] = []
      for bucket in buckets[..<count] {
        for timer in bucket.timers { times[ObjectIdentifier(timer)] = nil }
        due += bucket.timers
      }
      buckets.removeFirst(count)
      return due
    }
  }
#endif
