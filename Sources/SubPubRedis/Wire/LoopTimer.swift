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

    private var heap: [(time: Instant, timer: LoopTimer)] = []
    private var times: [ObjectIdentifier: Instant] = [:]

    var isEmpty: Bool { times.isEmpty }
    /// When the next one fires.
    var first: Instant? { heap.first?.time }

    /// Returns whether the timer is the next one now.
    mutating func set(_ timer: LoopTimer, to time: Instant?) -> Bool {
      let former = times[ObjectIdentifier(timer)]
      times[ObjectIdentifier(timer)] = time
      guard let time, former != time else {
        dropOutdated()
        return false
      }
      heap.append((time, timer))
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
      var due: [LoopTimer] = []
      while let (time, timer) = heap.first, time <= now {
        removeFirst()
        if times[ObjectIdentifier(timer)] == time {
          times[ObjectIdentifier(timer)] = nil
          due.append(timer)
        }
      }
      return due
    }

    private mutating func dropOutdated() {
      while let (time, timer) = heap.first, times[ObjectIdentifier(timer)] != time { removeFirst() }
    }

    private mutating func removeFirst() {
      heap.swapAt(0, heap.count - 1)
      heap.removeLast()
      var index = 0
      while true {
        var least = index
        for child in [2 * index + 1, 2 * index + 2] where child < heap.count && heap[child].time < heap[least].time {
          least = child
        }
        if least == index { return }
        heap.swapAt(index, least)
        index = least
      }
    }
  }
#endif
