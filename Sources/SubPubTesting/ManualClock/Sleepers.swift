/// Who sleeps until when on a manual clock, and what it shows. Decides only: the caller rings.
struct Sleepers {
  private(set) var now = ManualClock.Instant(sinceStart: .zero)
  /// By deadline, and those with the same deadline in the order in which they came.
  private var asleep: [(deadline: ManualClock.Instant, bell: Bell)] = []
  private var watchers = Watchers()

  var count: Int { asleep.count }
  var nextDeadline: ManualClock.Instant? { asleep.first?.deadline }

  /// Lets one more sleep; returns who waited for that.
  mutating func add(_ bell: Bell, until deadline: ManualClock.Instant) -> [Bell] {
    var (low, high) = (0, asleep.count)
    while low < high {
      let middle = (low + high) / 2
      if asleep[middle].deadline <= deadline { low = middle + 1 } else { high = middle }
    }
    asleep.insert((deadline, bell), at: low)
    return watchers.reached(count)
  }

  /// Forgets one who no longer sleeps, if it is there.
  mutating func remove(_ bell: Bell) { asleep.removeAll { $0.bell === bell } }

  /// Sets the clock and takes out those whose deadline has come, the earliest first.
  mutating func advance(to instant: ManualClock.Instant) -> [Bell] {
    now = instant
    let due = asleep.prefix { $0.deadline <= instant }.map(\.bell)
    asleep.removeFirst(due.count)
    return due
  }

  /// Whether the bell has to wait until so many sleep.
  mutating func watch(_ bell: Bell, count goal: Int) -> Bool {
    if count >= goal { return false }
    watchers.add(bell, goal: goal)
    return true
  }

  /// Forgets one who waited for sleepers, if it is there.
  mutating func unwatch(_ bell: Bell) { watchers.remove(bell) }
}
