import Foundation

/// The chart of a run, as an SVG image: the time for a delivery over the number of subscribers as lines, and the ratios
/// of the main rows as bars.
///
/// Everything has a fixed place except what shows a figure, so the charts of two runs differ only in their figures.
/// What wasn't measured is left out. The image follows the reader's choice of light or dark.
struct Chart {
  /// The rows whose ratios are bars, by their titles.
  private static let bars = [
    "publishing thread, 1 / locked weak loop",
    "publishing thread, 1,000 / locked weak loop",
    "publishing thread, 1,000 / NotificationCenter",
    "serial queue, 1,000 / one async per delivery",
    "pool, 10 / actor, a task per delivery",
    "sequences, 100 / AsyncStream for each",
    "subscribe + cancel, 0 present / NotificationCenter",
    "wake-up of an idle queue, median / queue.async",
  ]

  private let lines: [(curve: Curve, points: [CurvePoint])]
  private let ratios: [(title: String, ratio: Double)]
  private let environment: RunEnvironment

  init(_ outcomes: [Outcome], in environment: RunEnvironment) {
    let points = outcomes.flatMap(CurvePoint.points)
    lines = Curve.allCases.map { curve in
      // SubPub is measured against several rivals, and the first row counts.
      let own = points.filter { $0.curve == curve }
      return (curve, Row.subscriberCounts.compactMap { count in own.first { $0.subscribers == count } })
    }
    ratios = Self.bars.compactMap { title in
      outcomes.first { $0.row.title == title }?.ratio.map { (title, $0) }
    }
    self.environment = environment
  }

  var svg: String {
    let height = Bars.top + Bars.step * ratios.count + 44
    let content = [head(height: height), axes, curves, labels, bars].joined(separator: "\n")
    return "\(content)\n</svg>\n"
  }

  private func head(height: Int) -> String {
    """
    <svg xmlns="http://www.w3.org/2000/svg" width="640" height="\(height)" viewBox="0 0 640 \(height)" role="img"
      aria-labelledby="title desc">
    <title id="title">The time for one delivery, and ratios to the rivals</title>
    <desc id="desc">
    Made by subpub-bench --chart, on \(environment.machine.escaped), with \(environment.toolchain.escaped).
    </desc>
    <style>
    \(Self.style)
    </style>
    <rect class="card" x=".5" y=".5" width="639" height="\(height - 1)" rx="12"/>
    """
  }
}

// The lines.
extension Chart {
  /// The place of the lines; both axes are logarithmic.
  private enum Plot {
    static let (left, right, top, bottom) = (78.0, 428.0, 66.0, 346.0)

    static func x(_ subscribers: Int) -> Double { left + log10(Double(subscribers)) / 5 * (right - left) }
  }

  /// The nanoseconds at the ends of the axis: always the same ones, unless a figure is beyond them.
  private var range: (low: Double, high: Double) {
    var range = (low: 20.0, high: 2_000.0)
    for point in lines.flatMap(\.points) where point.nanoseconds > 0 {
      while point.nanoseconds < range.low { range.low /= 10 }
      while point.nanoseconds > range.high { range.high *= 10 }
    }
    return range
  }

  private func y(_ nanoseconds: Double) -> Double {
    Plot.bottom - log10(nanoseconds / range.low) / log10(range.high / range.low) * (Plot.bottom - Plot.top)
  }

  private var axes: String {
    let range = range
    let ticks = (-3...9).flatMap { power in [1, 2, 5].map { $0 * pow(10, Double(power)) } }
    let horizontal = ticks.filter { $0 >= range.low * 0.99 && $0 <= range.high * 1.01 }.map { tick in
      path((Plot.left, y(tick)), (Plot.right, y(tick)), "grid")
        + text(Plot.left - 10, y(tick) + 6, tick < 1 ? tick.ratio : Int(tick.rounded()).grouped, "muted e")
    }
    let vertical = Row.subscriberCounts.map { count in
      path((Plot.x(count), Plot.top), (Plot.x(count), Plot.bottom), "grid")
        + text(Plot.x(count), Plot.bottom + 26, count.grouped, "muted c")
    }
    let titles = [
      text(20, 38, "Nanoseconds for one delivery", "b"), text(620, 38, "lower is faster", "muted e"),
      text(Plot.right + 44, Plot.bottom + 26, "subscribers", "muted"),
    ]
    return (titles + horizontal + vertical).joined(separator: "\n")
  }

  private var curves: String {
    lines.filter { !$0.points.isEmpty }.map { curve, points in
      let places = points.map { (Plot.x($0.subscribers), y($0.nanoseconds)) }
      let line = "<polyline class=\"\(curve.style)\" points=\"\(places.map(place).joined(separator: " "))\"/>"
      let dots = places.map { x, y in
        "<circle class=\"\(curve.style)\" cx=\"\(x.short)\" cy=\"\(y.short)\" r=\"3.5\"/>"
      }
      return ([line] + dots).joined(separator: "\n")
    }.joined(separator: "\n")
  }

  /// The names of the lines beside their ends, moved up where they would overlap.
  private var labels: String {
    let ends = lines.compactMap { curve, points in
      points.last.map { (curve, x: Plot.x($0.subscribers), y: y($0.nanoseconds)) }
    }
    var texts: [Curve: String] = [:]
    var limit = Plot.bottom
    for (curve, x, end) in ends.sorted(by: { $0.y > $1.y }) {
      let y = min(end, limit)
      limit = y - 22
      texts[curve] =
        path((x, end), (Plot.right + 18, y), curve.style)
        + text(Plot.right + 24, y + 6, curve.rawValue, curve.isOurs ? "b" : "")
    }
    return Curve.allCases.compactMap { texts[$0] }.joined(separator: "\n")
  }
}

// The bars.
extension Chart {
  /// The place of the bars, whose logarithmic axis goes from 0.05 to 5.
  private enum Bars {
    static let (top, step) = (452, 46)

    static func x(_ ratio: Double) -> Double { 20 + log10(min(max(ratio, 0.05), 5) / 0.05) / 2 * 540 }
  }

  private var bars: String {
    let one = Bars.x(1)
    let rows = ratios.enumerated().map { index, bar in
      let top = Double(Bars.top + Bars.step * index)
      let (low, high) = (min(one, Bars.x(bar.ratio)), max(one, Bars.x(bar.ratio)))
      return """
        \(text(20, top, bar.title))
        <rect class="\(bar.ratio.roundedToHundredths <= 1 ? "green" : "amber")" x="\(low.short)" y="\((top + 8).short)" \
        width="\((high - low).short)" height="14"/>
        \(path((one, top + 5), (one, top + 25), "line"))\(text(high + 8, top + 21, bar.ratio.ratio, "b"))
        """
    }
    let bottom = Double(Bars.top + Bars.step * ratios.count)
    let title = text(20, Double(Bars.top) - 34, "SubPub’s time divided by the rival’s", "b")
    let sides = [
      text(one - 8, bottom + 18, "← SubPub is faster", "muted e"), text(one + 8, bottom + 18, "slower →", "muted"),
    ]
    return ([title] + rows + sides).joined(separator: "\n")
  }
}

extension Chart {
  private func text(_ x: Double, _ y: Double, _ content: String, _ style: String = "") -> String {
    "<text class=\"\(style)\" x=\"\(x.short)\" y=\"\(y.short)\">\(content.escaped)</text>"
  }

  private func path(_ start: (Double, Double), _ end: (Double, Double), _ style: String) -> String {
    "<path class=\"\(style)\" d=\"M\(place(start)) \(place(end))\"/>"
  }

  private func place(_ place: (x: Double, y: Double)) -> String { "\(place.x.short),\(place.y.short)" }
}

extension Double {
  /// The number with one decimal place, as a coordinate.
  fileprivate var short: String { String(format: "%.1f", self) }
}

extension String {
  /// The text as XML.
  fileprivate var escaped: String {
    replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
  }
}
