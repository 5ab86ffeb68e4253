import Foundation

/// What the stream held, and what mirrors may therefore not have skipped.
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
  private(set) var floor: EntryID?
  private(set) var judged = 0

  /// Notes what the stream holds, right before it may lose something.
  mutating func note(_ server: Server) throws {
    let entries = try server.entries(after: floor)
    let positions = Dictionary(uniqueKeysWithValues: entries.enumerated().map { ($1.id, $0) })
    periods.append(
      Period(floor: floor, entries: entries, positions: positions, end: DispatchTime.now().uptimeNanoseconds))
    if let last = entries.last?.id { floor = last }
  }

  /// Checks the log of a mirror.
  mutating func check(_ log: String) throws {
    var last: (id: EntryID, value: Int)?
    /// Whether another state has followed, after which the last one may be shown once more.
    var hasPaused = false
    for (number, line) in try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n").enumerated() {
      func wrong(_ what: String) -> Wrong { Wrong(description: "\(log), line \(number + 1), \(line): \(what)") }
      let words = line.split(separator: " ")
      if words == ["begin"] { last = nil }
      if words == ["pause"] { hasPaused = true }
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
  }

  /// Checks that nothing that the stream held lies between two entries that a mirror has shown.
  private mutating func judge(
    _ former: EntryID, _ id: EntryID, _ value: Int, at time: UInt64, _ wrong: (String) -> Wrong
  )
    throws
  {
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
