import SubPub

/// What the program shows of one publisher: a typed subscriber on the main actor.
///
/// The library calls it there, one state at a time, so its properties need no lock, and the compiler checks that. It
/// takes publications instead of states in order to know where the data comes from and how old it is.
@MainActor
final class Row<Value: Sendable & CustomStringConvertible>: MainActorTypedSubscriber, ShownRow {
  private let publisher: Publisher<Value>
  private let manager: any Manager<Value>
  private let changed: @MainActor (_ line: String) -> Void
  private var current: Publication<Value>
  private var text = ""
  /// Whether there is something to show: data, perhaps from an earlier run, or an error.
  private var hasNews = false
  private var history = History()

  /// Creates a row that calls `changed` with its line whenever the line has changed.
  init(of manager: any Manager<Value>, changed: @escaping @MainActor (_ line: String) -> Void) {
    self.manager = manager
    publisher = manager.publisher
    current = publisher.current
    self.changed = changed
  }

  func receive(_ publication: Publication<Value>) {
    current = publication
    let (former, phase) = (text, publication.phase)
    if case .loaded(let value as any Measured) = publication.state { history.add(value.fraction) }
    hasNews = hasNews || phase == .loaded || phase == .error
    // While a load is active, the line keeps its contents: clearing them each time would flicker.
    if phase != .loading || !hasNews { text = text(of: publication.state) + note }
    if text != former { changed(line) }
  }

  func receive(_ state: LoadState<Value>) {}  // the publication is enough

  // MARK: As a line

  private var line: String {
    let name = "\(publisher.id)"
    return name + String(repeating: " ", count: max(1, 8 - name.count)) + text
  }

  /// Returns the text for a load state, which has everything that a screen needs.
  ///
  /// Data survives an error and is shown with it.
  private func text(of state: LoadState<Value>) -> String {
    switch state {
    case .unknown: "unknown"
    case .loading: "loading"
    case .loaded(let value): "loaded: \(value)"
    case .error(let error, previous: nil): "error: \(error)"
    case .error(let error, previous: .some(let value)): "error: \(error) (was \(value))"
    }
  }

  /// A note if the data comes from the cache, or is stale for another reason.
  private var note: String {
    guard current.state.value != nil, let age = publisher.age(of: current) else { return "" }
    let isStale = publisher.staleAfter.map { age >= $0 } ?? false
    let notes = [current.origin == .cached ? "cached" : nil, isStale ? "stale" : nil].compactMap(\.self)
    return notes.isEmpty ? "" : " (\(notes.joined(separator: ", ")), \(age.components.seconds) s old)"
  }

  // MARK: On the screen

  /// The row as it is now.
  ///
  /// An age grows, and data becomes stale, without a new state, so this is called for every redraw.
  func snapshot() -> RowSnapshot {
    RowSnapshot(
      name: "\(publisher.id)", phase: current.phase, value: current.state.value.map { "\($0)" },
      error: current.error.map { "\($0)" }, age: publisher.age(of: current),
      isCached: current.origin == .cached, isStale: publisher.isStale,
      fraction: (current.state.value as? any Measured)?.fraction,
      history: history)
  }

  func refresh() { Task { await manager.refresh() } }

  func invalidate() { (manager as? LoadingManager<Value>)?.invalidate() }
}

/// A row without the type of its values.
@MainActor
protocol ShownRow: AnyObject {
  func snapshot() -> RowSnapshot
  func refresh()
  func invalidate()
}

/// What a screen shows of a publisher.
struct RowSnapshot {
  let name: String
  let phase: LoadPhase
  let value: String?
  let error: String?
  let age: Duration?
  let isCached: Bool
  let isStale: Bool
  /// The value as a fraction of its limit, for a bar.
  let fraction: Double?
  /// For a sparkline.
  let history: History
}

/// A value that can be shown as a fraction of a limit.
protocol Measured {
  /// From 0 to 1, or more if the limit can be exceeded.
  var fraction: Double { get }
}

/// The fractions of the last minute.
struct History {
  private static let length = Duration.seconds(60)
  /// The highest fraction of each half second.
  private var samples: [(time: ContinuousClock.Instant, fraction: Double)] = []

  mutating func add(_ fraction: Double) {
    let now = ContinuousClock.now
    if let last = samples.last, last.time + .milliseconds(500) > now {
      samples[samples.count - 1].fraction = max(last.fraction, fraction)
    } else {
      samples.removeAll { $0.time + Self.length < now }
      samples.append((now, fraction))
    }
  }

  /// Returns the highest fraction in each of a number of equal parts of the minute; nil where there is none.
  func columns(_ count: Int) -> [Double?] {
    var columns = [Double?](repeating: nil, count: count)
    let now = ContinuousClock.now
    for sample in samples {
      let age = sample.time.duration(to: now) / Self.length
      let column = count - 1 - Int(age * Double(count))
      if columns.indices.contains(column) { columns[column] = max(columns[column] ?? 0, sample.fraction) }
    }
    return columns
  }
}
