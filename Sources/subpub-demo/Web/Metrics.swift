import SubPub

/// What the library counts, in the text format of Prometheus.
enum Metrics {
  static func text(of snapshots: [PublisherSnapshot]) -> String {
    var lines: [String] = []
    func add(_ name: String, _ kind: String, _ help: String, _ value: (PublisherSnapshot) -> Int?) {
      lines += ["# HELP subpub_\(name) \(help)", "# TYPE subpub_\(name) \(kind)"]
      for snapshot in snapshots {
        if let value = value(snapshot) {
          lines.append(#"subpub_\#(name){publisher="\#(escaped(snapshot.label))"} \#(value)"#)
        }
      }
    }
    func sum(_ count: @escaping (SubscriptionSnapshot) -> Int) -> (PublisherSnapshot) -> Int {
      { $0.subscriptions.reduce(0) { $0 + count($1) } }
    }
    add("version", "counter", "The number of transitions.") { Int(clamping: $0.version) }
    add("loaded", "gauge", "Whether the state is loaded.") { $0.phase == .loaded ? 1 : 0 }
    add("stale", "gauge", "Whether the data is stale.") { $0.isStale ? 1 : 0 }
    add("data_age_milliseconds", "gauge", "The age of the data.") {
      // Limited as the ages of caches in files are.
      $0.age.map { Int(min($0, .seconds(9e9)) / .milliseconds(1)) }
    }
    add("subscriptions", "gauge", "The number of living subscriptions.") { $0.subscriptions.count }
    add("pending", "gauge", "States that wait to be delivered.", sum(\.pending))
    add("delivered", "gauge", "Deliveries to the living subscriptions.", sum(\.delivered))
    add("skipped", "gauge", "States that the living subscriptions have skipped.", sum(\.skipped))
    return lines.joined(separator: "\n") + "\n"
  }

  /// The label as it stands between quotes: scalar by scalar, because a line feed may be a part of a character.
  private static func escaped(_ label: String) -> String {
    var text = ""
    for scalar in label.unicodeScalars {
      switch scalar {
      case "\\", "\"": text += "\\\(scalar)"
      case "\n": text += "\\n"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }
}
