import Foundation

/// What the stream held, and what mirrors may therefore not have skipped; and when they had to show an error.
struct Oracle {
  /// Entries that were in the stream from when they were written until some moment.
  private struct Period {
    /// The entries after this one count.
    let floor: EntryID?
    let entries: [Entry]
    let positions: [EntryID: Int]
    /// When the stream may have lost entries.
    let end: UInt64
  }

  private var periods: [Period] = []
  /// When mirrors of a process were cut off, for longer than the limit.
  private var disturbances: [(process: Int, start: UInt64)] = []
  /// How long it may take until a mirror shows an error: twice the time-out, and some for a busy machine.
  private static let errorLimit: UInt64 = 3_000_000_000

  private var floor: EntryID?
  private(set) var judged = 0
  private(set) var judgedErrors = 0

  /// Notes what the stream holds, right before it may lose something.
  ///
  /// Entries that may be kept are looked for again next time, because a server that has only the older ones may take
  /// over.
  mutating func note(_ server: RedisServer, keepsSome: Bool = false) throws {
    let entries = try server.entries(after: floor)
    let positions = Dictionary(uniqueKeysWithValues: entries.enumerated().map { ($1.id, $0) })
    periods.append(Period(floor: floor, entries: entries, positions: positions, end: uptime()))
    if !keepsSome, let last = entries.last?.id { floor = last }
  }

  /// Notes that mirrors have been cut off until now.
  mutating func noteDisturbance(of process: Int, from start: UInt64) {
    if uptime() > start + Self.errorLimit { disturbances.append((process, start)) }
  }

  /// Checks the log of a mirror.
  mutating func check(_ log: String, process: Int, isContinued: Bool) throws {
    var errors: [UInt64] = []
    var last: (id: EntryID, value: Int)?
    /// Whether another state has followed, after which the last one may be shown once more.
    var hasPaused = false
    for (number, line) in try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n").enumerated() {
      func wrong(_ what: String) -> Wrong { Wrong(description: "\(log), line \(number + 1), \(line): \(what)") }
      let words = line.split(separator: " ")
      if words == ["begin"] { last = nil }
      if words == ["pause"] || words.first == "error" { hasPaused = true }
      if words.first == "error", let time = words.last.flatMap({ UInt64($0) }) { errors.append(time) }
      if words.first == "wrong" { throw wrong("an error of another type") }
      guard words.count == 3 else { continue }
      guard let value = Int(words[0]), let id = EntryID(words[1]), let time = UInt64(words[2]) else {
        throw wrong("it can't be read")
      }
      if let last {
        let isRepeated = hasPaused && (id, value) == last
        guard id > last.id || isRepeated else { throw wrong("after \(last)") }
        if !isRepeated { try judge(last.id, id, value, at: time, wrong) }
      }
      (last, hasPaused) = ((id, value), false)
    }
    for (_, start) in disturbances.filter({ $0.process == process && isContinued }) {
      let limit = start + Self.errorLimit
      guard errors.contains(where: { start < $0 && $0 < limit }) else {
        throw Wrong(description: "\(log): no error between \(start) and \(limit)")
      }
      judgedErrors += 1
    }
  }

  /// Checks that nothing that the stream held lies between two entries that a mirror has shown.
  private mutating func judge(
    _ former: EntryID, _ id: EntryID, _ value: Int, at time: UInt64, _ wrong: (String) -> Wrong
  ) throws {
    for period in periods where time < period.end {
      guard let position = period.positions[id] else { continue }
      judged += 1
      guard period.entries[position].value == value else {
        throw wrong("the stream's value is \(period.entries[position].value ?? -1)")
      }
      guard position > 0, period.floor.map({ former >= $0 }) ?? true else { continue }
      let before = period.entries[position - 1].id
      guard before <= former else { throw wrong("after \(former), although the stream held \(before)") }
    }
  }
}
