/// A publisher and its subscriptions at one moment, for logs and admin pages (7.04).
///
/// Its description has one line for the publisher and one for each subscription; `table` aligns those of several
/// publishers. In both, line breaks and other control characters of labels and errors are escaped. The properties have
/// them as they are.
public struct PublisherSnapshot: Codable, Hashable, Sendable {
  /// The publisher's label, or its number without one.
  public var label: String
  /// The version of the state.
  public var version: UInt64
  /// The phase of the state.
  public var phase: LoadPhase
  /// Where the data, or the previous data, comes from; nil without data.
  public var origin: DataOrigin?
  /// How old that data is; nil if that isn't measured.
  public var age: Duration?
  /// Whether that data is stale.
  public var isStale: Bool
  /// The error of the state, described, in at most 4 KiB; nil without an error.
  public var error: String?
  /// Whether a load or a stream is active, including a quiet one.
  public var isLoading: Bool
  /// The number of the load's present attempt; 0 if there is none.
  public var attempt: Int
  /// The error of the load's last attempt that has failed, described, in at most 4 KiB; nil if none has, or no load is
  /// active.
  public var lastFailure: String?
  /// The living subscriptions, in no particular order.
  public var subscriptions: [SubscriptionSnapshot]
}

/// A subscription at one moment, for operators.
public struct SubscriptionSnapshot: Codable, Hashable, Sendable {
  /// The name that the subscriber has given.
  public var label: String?
  /// The subscriber's class; for a sequence, the type of its iterator.
  public var subscriberType: String
  /// Where deliveries run.
  public var context: String
  /// The buffering policy.
  public var buffering: String
  /// The number of deliveries that have ended.
  public var delivered: Int
  /// The number of states that were skipped.
  public var skipped: Int
  /// The number of states that wait to be delivered.
  public var pending: Int
  /// The largest number of states that were ever pending at once.
  public var highWater: Int
  /// The version of the last delivery that has ended; nil if none has.
  public var lastVersion: UInt64?
}

extension PublisherSnapshot {
  /// Reads a snapshot that was encoded.
  ///
  /// - Throws: What the decoder throws, and an error if a count or the age is negative or too large (5.29).
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    label = try container.decode(String.self, forKey: .label)
    version = try container.decode(UInt64.self, forKey: .version)
    phase = try container.decode(LoadPhase.self, forKey: .phase)
    origin = try container.decodeIfPresent(DataOrigin.self, forKey: .origin)
    age = try container.decodeIfPresent(Duration.self, forKey: .age)
    isStale = try container.decode(Bool.self, forKey: .isStale)
    error = try container.decodeIfPresent(String.self, forKey: .error)?.shortened
    isLoading = try container.decode(Bool.self, forKey: .isLoading)
    attempt = try container.decodeCount(forKey: .attempt)
    lastFailure = try container.decodeIfPresent(String.self, forKey: .lastFailure)?.shortened
    subscriptions = try container.decode([SubscriptionSnapshot].self, forKey: .subscriptions)
    if let age, !(.zero ... .longestAge).contains(age) {
      throw DecodingError.damaged("\(age) can't be an age", at: container.codingPath + [CodingKeys.age])
    }
  }
}

extension SubscriptionSnapshot {
  /// Reads a snapshot that was encoded.
  ///
  /// - Throws: What the decoder throws, and an error if a count is negative or too large (5.29).
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    label = try container.decodeIfPresent(String.self, forKey: .label)
    subscriberType = try container.decode(String.self, forKey: .subscriberType)
    context = try container.decode(String.self, forKey: .context)
    buffering = try container.decode(String.self, forKey: .buffering)
    delivered = try container.decodeCount(forKey: .delivered)
    skipped = try container.decodeCount(forKey: .skipped)
    pending = try container.decodeCount(forKey: .pending)
    highWater = try container.decodeCount(forKey: .highWater)
    lastVersion = try container.decodeIfPresent(UInt64.self, forKey: .lastVersion)
  }
}

extension StatePublisher {
  /// Describes the publisher and its living subscriptions.
  ///
  /// The subscriptions' counts may be from slightly different moments. Describes errors and reads the clock, both while
  /// nothing is locked.
  ///
  /// - Returns: The description.
  /// - Complexity: O(*n*) in the number of subscriptions.
  public func snapshot() -> PublisherSnapshot {
    guard let snapshot = _access.snapshot() else { stopForMisuse("\(id) is read after its end") }
    return snapshot
  }
}

extension StateAccess {
  /// Describes the publisher; nil after its release.
  func snapshot() -> PublisherSnapshot? {
    guard let box = registry.current else { return nil }
    let (current, progress) = (Publication<Value>.from(box), registry.turn { $0.owner?.progress })
    return PublisherSnapshot(
      label: registry.source.label ?? "\(registry.source)", version: current.version, phase: current.phase,
      origin: current.origin,
      age: age(of: current), isStale: isStale, error: current.error.map { "\($0)".shortened },
      isLoading: progress?.isLoading ?? (current.phase == .loading), attempt: progress?.attempt ?? 0,
      lastFailure: progress?.lastFailure.map { "\($0)".shortened },
      subscriptions: registry.subscriptions.map(SubscriptionSnapshot.init))
  }
}

extension SubscriptionSnapshot {
  fileprivate init(_ subscription: Subscription) {
    let statistics = subscription.statistics
    label = subscription.label
    subscriberType = "\(subscription.subscriberType)"
    context = "\(subscription.context)"
    buffering = "\(subscription.buffering)"
    delivered = statistics.delivered
    skipped = statistics.skipped
    pending = statistics.pending
    highWater = statistics.highWater
    lastVersion = statistics.lastVersion
  }
}

extension Sequence<PublisherSnapshot> {
  /// The snapshots as a table of plain text: a line for each publisher, and one for each of its subscriptions below it.
  public var table: String {
    let rows = [["publisher", "state", "data", "", "", ""]] + flatMap(\.rows)
    let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      let padded = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
      return String(padded.joined(separator: "  ").reversed().drop { $0 == " " }.reversed())
    }.joined(separator: "\n")
  }
}

extension PublisherSnapshot: CustomStringConvertible {
  /// A line for the publisher and one for each subscription.
  public var description: String {
    rows.map { $0.filter { !$0.isEmpty }.joined(separator: "  ") }.joined(separator: "\n")
  }

  /// The rows of a table: the publisher's, and one for each subscription.
  fileprivate var rows: [[String]] {
    [words.map(\.onOneLine.shortened)] + subscriptions.map { ["  " + $0.words[0]] + $0.words[1...] }
  }

  private var words: [String] {
    let loading = isLoading && phase != .loading ? ", loading" : ""
    let data = [origin.map { "\($0)" }, age.map { "\($0) old" }, isStale ? "stale" : nil].compactMap { $0 }
    return [
      label, "\(phase) \(version)\(loading)", data.joined(separator: ", "), attempt > 1 ? "attempt \(attempt)" : "",
      error.map { "error: \($0)" } ?? "", error == nil ? lastFailure.map { "last failure: \($0)" } ?? "" : "",
    ]
  }
}

extension SubscriptionSnapshot: CustomStringConvertible {
  /// The label or the subscriber's type, and the counts, in a line.
  public var description: String { words.filter { !$0.isEmpty }.joined(separator: "  ") }

  /// The columns of a table.
  fileprivate var words: [String] {
    [
      label ?? subscriberType, context, buffering, "\(delivered) delivered", "\(skipped) skipped",
      "\(pending) pending (at most \(highWater))" + (lastVersion.map { ", last version \($0)" } ?? ""),
    ].map(\.onOneLine.shortened)
  }
}
