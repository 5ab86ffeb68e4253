import SubPub

/// The contents of the screen, as lines that fit into its size.
struct Screen {
  let size: Terminal.Size
  let glyphs: Glyphs
  let title: String
  let rows: [RowSnapshot]
  let subscribers: [SubscriberSnapshot]
  let messages: [String]
  let trouble: Trouble
  /// Counts the redraws, for spinners.
  let frame: Int

  /// Exactly as many lines as the screen has: title, publishers, subscribers, messages, footer.
  var lines: [Line] {
    let recent = messages.suffix(size.lines < 20 ? 1 : 3).map { Line($0, .yellow) }
    var room = size.lines - recent.count - 2
    let publishers = Self.cut(rows.flatMap(lines(for:)), to: max(1, room - 3), mark: glyphs.ellipsis)
    room -= publishers.count
    // If there is room, there is an empty line before each part.
    let gap = room < min(subscribers.count, 5) + 5 ? [] : [Line()]
    room -= gap.count * (recent.isEmpty ? 2 : 3)

    var lines = [titleLine] + gap + publishers + gap
    lines += Self.cut(table, to: max(0, room), mark: glyphs.ellipsis)
    if !recent.isEmpty { lines += gap + recent }
    lines = Array(lines.prefix(size.lines - 1))
    lines += Array(repeating: Line(), count: size.lines - 1 - lines.count)
    lines.append(footer)
    return lines.map { $0.cut(to: size.columns, mark: glyphs.ellipsis) }
  }

  /// Returns the first lines; if some are left out, the last line says how many.
  private static func cut(_ lines: [Line], to count: Int, mark: String) -> [Line] {
    if lines.count <= count { return lines }
    return lines.prefix(max(0, count - 1)) + [Line("\(mark) and \(lines.count - count + 1) more lines", .dim)]
  }

  private var titleLine: Line {
    var line = Line(title, .bold)
    if trouble.fails { line.append("  loads fail on purpose", .red) }
    if trouble.isSlow { line.append("  error reports are slow on purpose", .yellow) }
    return line
  }

  private var footer: Line {
    let long = "q quit  r refresh  i invalidate  e make loads fail  s slow down a subscriber"
    return Line(long.count <= size.columns ? long : "q quit  r load  i stale  e fail  s slow", .dim)
  }

  // MARK: Publishers

  private var nameWidth: Int {
    min(max(8, (rows.map(\.name.columns).max() ?? 0) + 1), max(8, size.columns / 3))
  }

  /// A line for the state and, if the value has a limit, one with a bar and the last minute.
  private func lines(for row: RowSnapshot) -> [Line] {
    var line = Line(row.name).cut(to: nameWidth - 1, mark: glyphs.ellipsis)
    line.pad(to: nameWidth)
    line.append(mark(for: row))
    line.append(" ")
    if let age = row.age { line.append("\(age.short) ", .dim) }
    if row.isCached { line.append("cached ", .yellow) }
    if row.isStale { line.append("stale ", .yellow) }
    line.pad(to: nameWidth + 6)
    if let error = row.error { line.append("\(error) ", .red) }
    switch (row.value, row.error) {
    case (let value?, nil): line.append(value)
    case (let value?, _?): line.append("(was \(value))", .dim)
    case (nil, nil): line.append("\(row.phase)", .dim)
    case (nil, _?): break
    }
    guard let fraction = row.fraction else { return [line] }

    var graph = Line()
    graph.pad(to: nameWidth)
    let room = max(0, size.columns - nameWidth - 7)
    graph.append(glyphs.bar(fraction, columns: room / 3))
    graph.append("\(Int(min(fraction * 100, 9_999).rounded()))%  ".leftPadded(to: 7))
    graph.append(glyphs.sparkline(row.history.columns(min(60, room - room / 3))))
    return [line, graph]
  }

  private func mark(for row: RowSnapshot) -> Line {
    switch row.phase {
    case .unknown: Line(glyphs.unknown, .dim)
    case .loading: Line(glyphs.spinner[frame % glyphs.spinner.count], .cyan)
    case .loaded: Line(glyphs.loaded, row.isStale ? .yellow : .green)
    case .error: Line(glyphs.failed, .red)
    }
  }

  // MARK: Subscribers

  /// A heading, and a line for each subscription.
  private var table: [Line] {
    let isWide = size.columns >= 72
    let headings = isWide ? ["delivered", "skipped", "pending", "per s"] : ["done", "skip", "pend", "/s"]
    let widths = isWide ? [10, 9, 9, 8] : [7, 6, 6, 6]
    let room = max(0, size.columns - widths.reduce(0, +))
    let contextWidth = isWide ? min(24, room / 2) : 0
    let nameWidth = min(32, room - contextWidth)

    func line(_ name: String, _ context: String, _ cells: [String], _ style: Line.Style) -> Line {
      var line = Line(name, style).cut(to: nameWidth, mark: glyphs.ellipsis)
      line.pad(to: nameWidth)
      line.append(Line(context, style).cut(to: max(0, contextWidth - 1), mark: glyphs.ellipsis))
      line.pad(to: nameWidth + contextWidth)
      for (cell, width) in zip(cells, widths) { line.append(cell.leftPadded(to: width), style) }
      return line
    }
    return [line("subscriber", "context", headings, .bold)]
      + subscribers.map { each in
        line(
          "\(each.name) \(each.source)", each.context,
          [each.delivered.short, each.skipped.short, each.pending.short, each.rate.oneDecimal],
          each.pending > 1 ? .yellow : .plain)
      }
  }
}

/// What a screen shows of a subscription.
struct SubscriberSnapshot {
  let name: String
  let source: PublisherID
  let context: String
  let (delivered, skipped, pending): (Int, Int, Int)
  /// Deliveries per second.
  let rate: Double
}

extension Duration {
  /// The duration in its largest unit: `7 s`, `12 min`, `3 h`, `2 d`.
  fileprivate var short: String {
    switch components.seconds {
    case ..<60: "\(components.seconds) s"
    case ..<3_600: "\(components.seconds / 60) min"
    case ..<86_400: "\(components.seconds / 3_600) h"
    default: "\(components.seconds / 86_400) d"
    }
  }
}

extension Int {
  /// The number in at most five characters: `99999`, `123k`, `45M`.
  fileprivate var short: String {
    switch self {
    case ..<100_000: "\(self)"
    case ..<10_000_000: "\(self / 1_000)k"
    default: "\(self / 1_000_000)M"
    }
  }
}

extension Double {
  fileprivate var oneDecimal: String { "\((self * 10).rounded() / 10)" }
}

extension String {
  fileprivate func leftPadded(to width: Int) -> String { String(repeating: " ", count: max(0, width - count)) + self }
}
