import SubPub

/// A table of the library's counts for each subscription.
struct DeliveryTable {
  private let versions: [PublisherID: UInt64]
  private var rows = [
    ["subscriber", "publisher", "context", "delivered", "skipped", "last version is current"]
  ]

  /// Creates a table; `versions` are the current versions of the publishers.
  init(versions: [PublisherID: UInt64]) { self.versions = versions }

  mutating func add(
    _ name: String, of source: PublisherID, on context: String, statistics: Subscription.Statistics?
  ) {
    guard let statistics else { return }
    let isLast = statistics.lastVersion == versions[source]
    let version = statistics.lastVersion.map { "\($0)" } ?? "none"
    rows.append([
      name, "\(source)", context, "\(statistics.delivered)", "\(statistics.skipped)",
      "\(isLast ? "yes" : "no") (\(version))",
    ])
  }

  /// The lines of the table, with columns as wide as their widest cell.
  var lines: [String] {
    let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      let cells = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
      return cells.joined(separator: "  ").withoutTrailingSpaces
    }
  }
}

extension String {
  var withoutTrailingSpaces: String {
    var text = self
    while text.last == " " { text.removeLast() }
    return text
  }
}
