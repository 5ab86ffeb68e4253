#if Redis
  import SubPub

  /// Something that a loop's thread does at a time.
  final class LoopTimer: Sendable {
    private let action: @Sendable () -> Void

    init(_ action: @escaping @Sendable () -> Void) { self.action = action }

    func fire() { action() }
  }

  /// The timers of a loop, with the next one first.
  ///
  /// A timer that is set anew stays in the heap with its old time, which counts no more, until it is the first.
  struct TimerHeap {
    typealias Instant = ContinuousClock.Instant

    private struct Entry {
      /// In nanoseconds: an instant is slower to compare and to move.
      let time: Int64
      let timer: LoopTimer
    }

    private static let start = Instant.now
    private var heap: [Entry] = []
    private var times: [ObjectIdentifier: Int64] = [:]

    var isEmpty: Bool { times.isEmpty }
    /// When the next one fires.
    var first: Instant? { heap.first.map { Self.start + .nanoseconds($0.time) } }

    /// Nanoseconds since some time, and never fewer than there are.
    private static func nanoseconds(_ time: Instant) -> Int64 {
      let parts = start.duration(to: time).components
      return parts.seconds * 1_000_000_000 + parts.attoseconds / 1_000_000_000 + 1
    }

    /// Returns whether the timer is the next one now.
    mutating func set(_ timer: LoopTimer, to time: Instant?) -> Bool {
      let (time, former) = (time.map(Self.nanoseconds), times[ObjectIdentifier(timer)])
      times[ObjectIdentifier(timer)] = time
      guard let time, former != time else {
        dropOutdated()
        return false
      }
      heap.append(Entry(time: time, timer: timer))
      var index = heap.count - 1
      while index > 0, heap[index].time < heap[(index - 1) / 2].time {
        heap.swapAt(index, (index - 1) / 2)
        index = (index - 1) / 2
      }
      dropOutdated()
      return heap.first?.timer === timer
    }

    /// Removes the timers that fire now, and returns them in the order of their times.
    mutating func takeDue(at now: Instant) -> [LoopTimer] {
      let now = Self.nanoseconds(now)
      var due: [LoopTimer] = []
      while let next = heap.first, next.time <= now {
        removeFirst()
        guard times[ObjectIdentifier(next.timer)] == next.time else { continue }
        times[ObjectIdentifier(next.timer)] = nil
        due.append(next.timer)
      }
      return due
    }

    private mutating func dropOutdated() {
      while let next = heap.first, times[ObjectIdentifier(next.timer)] != next.time { removeFirst() }
    }

    private mutating func removeFirst() {
      heap.swapAt(0, heap.count - 1)
      heap.removeLast()
      var index = 0
      while true {
        var least = index
        for child in 2 * index + 1...2 * index + 2 where child < heap.count && heap[child].time < heap[least].time {
          least = child
        }
        if least == index { return }
        heap.swapAt(index, least)
        index = least
      }
    }
  }
#endif
