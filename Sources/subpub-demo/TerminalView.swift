import SubPub

/// Shows the latest of each publisher, as a view of an app would.
@MainActor
final class TerminalView {
  private var rows: [() -> String] = []
  private let console: Console

  init(console: Console) { self.console = console }

  /// One more row. Who asks subscribes it, and keeps it.
  func makeRow<Value>(of publisher: Publisher<Value>) -> TerminalRow<Value> {
    let row = TerminalRow(of: publisher) { [weak self] changed in self?.show(changed) }
    rows.append { row.lineWithProgress }
    return row
  }

  /// A terminal is redrawn for every state. Elsewhere there is one more line when a row has changed.
  private func show(_ changed: String?) {
    if console.redraws {
      console.draw(rows.map { $0() })
    } else if let changed {
      console.print(changed)
    }
  }
}
