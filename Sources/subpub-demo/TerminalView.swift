import SubPub

/// A view of the latest state of each publisher, like a view of an app.
@MainActor
final class TerminalView {
  private var rows: [() -> String] = []
  private let console: Console

  init(console: Console) { self.console = console }

  /// Adds a row, which the caller subscribes and keeps.
  func makeRow<Value>(of publisher: Publisher<Value>) -> TerminalRow<Value> {
    let row = TerminalRow(of: publisher) { [weak self] changed in self?.show(changed) }
    rows.append { row.lineWithProgress }
    return row
  }

  /// Redraws a terminal for every state; elsewhere, prints a row that has changed.
  private func show(_ changed: String?) {
    if console.redraws {
      console.draw(rows.map { $0() })
    } else if let changed {
      console.print(changed)
    }
  }
}

/// One line of the view, for one publisher: a typed subscriber on the main actor.
///
/// The library calls it there, one state at a time, so its properties need no lock, and the compiler checks that. It
/// takes publications instead of states in order to know where the data comes from, and how old it is.
@MainActor
final class TerminalRow<Value: Sendable & CustomStringConvertible>: MainActorTypedSubscriber {
  private let publisher: Publisher<Value>
  private let show: @MainActor (_ changed: String?) -> Void
  private var text = ""
  private var isLoading = false
  /// Whether there is something to show: data, perhaps from an earlier run, or an error.
  private var hasNews = false

  /// Creates a row, which calls `show` for every state, with its line if that has changed.
  init(of publisher: Publisher<Value>, show: @escaping @MainActor (_ changed: String?) -> Void) {
    self.publisher = publisher
    self.show = show
  }

  func receive(_ publication: Publication<Value>) {
    let former = text
    let state = publication.state
    isLoading = state.phase == .loading
    hasNews = hasNews || state.phase == .loaded || state.phase == .error
    // While a load is active, the row keeps its contents: clearing them each time would flicker.
    if !isLoading || !hasNews { text = text(of: state) + note(on: publication) }
    show(text == former ? nil : line)
  }

  func receive(_ state: LoadState<Value>) {}  // the publication is enough

  private var line: String {
    let name = "\(publisher.id)"
    return name + String(repeating: " ", count: max(1, 8 - name.count)) + text
  }

  /// The line, with a mark while a load is active.
  var lineWithProgress: String { line + (isLoading ? " …" : "") }

  /// Returns the text for a load state, which has everything that a screen needs.
  ///
  /// Data survives an error, and is shown with it.
  private func text(of state: LoadState<Value>) -> String {
    switch state {
    case .unknown: "unknown"
    case .loading: "loading"
    case .loaded(let value): "loaded: \(value)"
    case .error(let error, previous: nil): "error: \(error)"
    case .error(let error, previous: .some(let value)): "error: \(error) (was \(value))"
    }
  }

  /// Returns a note if the data comes from the cache, or is stale for another reason.
  private func note(on publication: Publication<Value>) -> String {
    guard publication.phase == .loaded, let age = publisher.age(of: publication) else { return "" }
    let isStale = publisher.staleAfter.map { age >= $0 } ?? false
    let notes = [publication.origin == .cached ? "cached" : nil, isStale ? "stale" : nil].compactMap(\.self)
    return notes.isEmpty ? "" : " (\(notes.joined(separator: ", ")), \(age.components.seconds) s old)"
  }
}
