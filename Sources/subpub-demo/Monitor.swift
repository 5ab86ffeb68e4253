import SubPub

/// The screen of the program: draws the rows and subscriptions as they are now, and acts on keys.
///
/// Without a terminal, it only provides the screen as text, for `--record`.
@MainActor
final class Monitor {
  private let title: String
  private let terminal: Terminal?
  private let console: Console
  private let purpose: OnPurpose
  private let ending: Ending
  private let started = ContinuousClock.now
  private var rows: [any ShownRow] = []
  private var subscribers: () -> [Subscription] = { [] }
  private var rates = Rates()
  private var frame = 0

  init(title: String, terminal: Terminal?, console: Console, purpose: OnPurpose, ending: Ending) {
    self.title = title
    self.terminal = terminal
    self.console = console
    self.purpose = purpose
    self.ending = ending
  }

  func show(_ row: some ShownRow) { rows.append(row) }

  func show(subscribers: @escaping () -> [Subscription]) { self.subscribers = subscribers }

  /// Draws ten times a second, and at once when a key is pressed or the size changes, until the task is cancelled.
  func run() async {
    guard let terminal else { return }
    terminal.watch { [weak self] in self?.draw() }
    let keyboard = Task {
      for await key in terminal.keys {
        act(on: key)
        draw()
      }
    }
    while !Task.isCancelled {
      draw()
      frame += 1
      do { try await Task.sleep(for: .milliseconds(100)) } catch { break }
    }
    keyboard.cancel()
    terminal.end()
  }

  private func act(on key: Character) {
    switch key {
    case "q", "Q": ending.end()
    case "r", "R": for row in rows { row.refresh() }
    case "i", "I": for row in rows { row.invalidate() }
    case "e", "E": purpose.change { $0.fails.toggle() }
    case "s", "S": purpose.change { $0.isSlow.toggle() }
    default: break
    }
  }

  private func draw() {
    guard let terminal else { return }
    let size = terminal.size
    terminal.draw(screen(size: size).lines.map(usesColors ? \.styled : \.text), size: size)
  }

  /// The screen as text, without styles.
  var text: String {
    screen(size: terminal?.size ?? Terminal.Size()).lines.map { $0.text.withoutTrailingSpaces + "\n" }.joined()
  }

  /// Returns the line, cut so that it doesn't wrap if there is a terminal.
  func fitted(_ line: String) -> String {
    guard let terminal else { return line }
    return Line(line).cut(to: terminal.size.columns, mark: Self.glyphs.ellipsis).text
  }

  private func screen(size: Terminal.Size) -> Screen {
    let subscribers = subscribers()
    rates.update(subscribers)
    return Screen(
      size: size, glyphs: Self.glyphs,
      title: "\(title), for \(started.duration(to: .now).components.seconds) s",
      rows: rows.map { $0.snapshot() },
      subscribers: subscribers.map { subscription in
        let counts = subscription.statistics
        return SubscriberSnapshot(
          name: subscription.label ?? "", source: subscription.source, context: "\(subscription.context)",
          delivered: counts.delivered, skipped: counts.skipped, pending: counts.pending, rate: rates[subscription])
      },
      messages: console.recent, trouble: purpose.trouble, frame: frame)
  }

  // MARK: The environment

  private let usesColors = environment("NO_COLOR").isEmpty

  private static let glyphs: Glyphs = {
    // The first of these that is set decides.
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].map(environment).first { !$0.isEmpty } ?? ""
    let isUnicode = locale.uppercased().contains("UTF-8") || locale.uppercased().contains("UTF8")
    return isUnicode ? .unicode : .ascii
  }()
}

/// Deliveries per second, over the last five seconds.
private struct Rates {
  private typealias Sample = (time: ContinuousClock.Instant, delivered: [Subscription: Int])
  /// One for each second.
  private var samples: [Sample] = []

  mutating func update(_ subscriptions: [Subscription]) {
    let now = ContinuousClock.now
    if let last = samples.last, last.time + .seconds(1) > now { return }
    if samples.count > 5 { samples.removeFirst() }
    let counts = subscriptions.map { ($0, $0.statistics.delivered) }
    samples.append((now, Dictionary(counts, uniquingKeysWith: { first, _ in first })))
  }

  subscript(subscription: Subscription) -> Double {
    guard let first = samples.first(where: { $0.delivered[subscription] != nil }), let last = samples.last,
      let before = first.delivered[subscription], let after = last.delivered[subscription], first.time < last.time
    else { return 0 }
    return Double(after - before) / (first.time.duration(to: last.time) / .seconds(1))
  }
}

/// The file for a text screenshot, which is opened when the program starts, so that an error is reported before the
/// work begins.
struct Record: ~Copyable {
  private let path: String
  private let file: OpenFile

  init(_ path: String) throws(CannotOpen) {
    self.path = path
    file = try .creating(path)
  }

  func write(_ text: String) throws(CannotWrite) {
    do { try file.append(text) } catch { throw CannotWrite(path: path, reason: error) }
  }
}
