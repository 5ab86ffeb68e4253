import SubPub

/// What the view shows of one publisher.
struct TerminalRow {
  private let name: String
  private var text = ""
  private var isLoading = false
  /// Whether a load has ended, well or not.
  private var hasNews = false

  init(name: String) { self.name = name }

  /// Takes in a state. The line that shows it, if that has changed.
  mutating func take<Value: CustomStringConvertible>(_ state: LoadState<Value>) -> String? {
    let former = text
    isLoading = state.phase == .loading
    hasNews = hasNews || state.phase == .loaded || state.phase == .error
    // While it loads again, what was shown stays: blanking it for every load would flicker.
    if !isLoading || !hasNews { text = Self.text(of: state) }
    return text == former ? nil : line
  }

  var line: String { name + String(repeating: " ", count: max(1, 8 - name.count)) + text }

  /// The same, with a mark while a load is under way.
  var lineWithProgress: String { line + (isLoading ? " …" : "") }

  /// A load state has everything that a screen needs. The data survive an error, to be shown beside it.
  private static func text<Value: CustomStringConvertible>(of state: LoadState<Value>) -> String {
    switch state {
    case .unknown: "unknown"
    case .loading: "loading"
    case .loaded(let value): "loaded: \(value)"
    case .error(let error, previous: nil): "error: \(error)"
    case .error(let error, previous: .some(let value)): "error: \(error) (was \(value))"
    }
  }
}
