#if Redis && (DEBUG || TESTABLE)
  @testable import SubPubRedis
  @testable import SubPubRedis
  import SubPubTesting

  /// A world of servers, connections, and processes, in one thread and in virtual time, whose every event comes from a
  /// seed: the same seed gives the same history.
  final class World {
    private struct Event {
      let time: Duration
      let order: Int
      let body: () -> Void
    }

    private let start = Moment.now
    private(set) var time = Duration.zero
    private var events: [Event] = []
    private var eventCount = 0
    /// Decides what nobody causes, such as how long something is on its way.
    var chance: Chance
    /// What has happened, if that is recorded.
    private(set) var history: [String] = []
    let isRecorded: Bool
    /// What mustn't happen, and has.
    private(set) var violations: [String] = []
    /// How many things have happened.
    private(set) var count = 0
    /// How many of them have happened at this time.
    private var countAtOnce = 0

    init(seed: UInt64, isRecorded: Bool = false) {
      (chance, self.isRecorded) = (Chance(seed: seed), isRecorded)
    }

    var now: Moment { start + time }

    func after(_ delay: Duration, _ body: @escaping () -> Void) {
      let event = Event(time: time + max(.zero, delay), order: eventCount, body: body)
      eventCount += 1
      var index = events.count
      events.append(event)
      while index > 0, isBefore(index, (index - 1) / 2) {
        events.swapAt(index, (index - 1) / 2)
        index = (index - 1) / 2
      }
    }

    func at(_ instant: Moment, _ body: @escaping () -> Void) { after(now.duration(to: instant), body) }

    func note(_ what: @autoclosure () -> String) {
      if isRecorded { history.append("\(time / .milliseconds(1)) ms: \(what())") }
    }

    /// Commands as a text, without the lengths of their words, and with the names of scripts.
    static func words(_ bytes: [UInt8]) -> String {
      var text = String(decoding: bytes.prefix(5_000), as: UTF8.self)
      for script in OutletScript.allCases { text = text.replacing(script.source, with: "\(script)") }
      return text.split(separator: "\r\n").filter { !"*$".contains($0.prefix(1)) }.joined(separator: " ")
    }

    func violate(_ what: String) {
      note("VIOLATION \(what)")
      if violations.count < 10 { violations.append("\(time / .milliseconds(1)) ms: \(what)") }
    }

    /// Lets everything happen up to a time, or up to the first violation.
    func run(until end: Duration) {
      while let next = events.first, next.time <= end, violations.isEmpty {
        removeFirst()
        countAtOnce = next.time == time ? countAtOnce + 1 : 0
        if countAtOnce > 50_000 { violate("there is always something to be done at once") }
        time = next.time
        count += 1
        next.body()
      }
      time = max(time, end)
    }

    /// Forgets what would happen later, which holds those to whom it would.
    func end() { events = [] }

    private func isBefore(_ left: Int, _ right: Int) -> Bool {
      (events[left].time, events[left].order) < (events[right].time, events[right].order)
    }

    private func removeFirst() {
      events.swapAt(0, events.count - 1)
      events.removeLast()
      var index = 0
      while true {
        var least = index
        for child in [2 * index + 1, 2 * index + 2] where child < events.count && isBefore(child, least) {
          least = child
        }
        if least == index { return }
        events.swapAt(index, least)
        index = least
      }
    }
  }

  /// Chance, from a seed.
  struct Chance {
    private var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    mutating func percent(_ percent: Int) -> Bool { number(0...99) < percent }
    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }
    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[number(0...elements.count - 1)] }

    /// A time up to so many milliseconds, mostly a short one.
    mutating func milliseconds(upTo limit: Int) -> Duration {
      let most = pick([1, 10, 100, 1_000, 10_000]) * limit / 10_000
      return .microseconds(number(1...max(1, most * 1_000)))
    }
  }
#endif
