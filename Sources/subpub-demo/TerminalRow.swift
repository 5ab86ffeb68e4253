import SubPub

/// One line of the view, for one publisher: a typed subscriber on the main actor.
///
/// The library calls it there, one state at a time, so its properties need no lock, and the compiler knows it. It could
/// take the states alone; it takes the publications that they come in, to ask how old the data is.
@MainActor
final class TerminalRow<Value: Sendable & CustomStringConvertible>: MainActorTypedSubscriber {
  private let publisher: Publisher<Value>
  private let show: @MainActor (_ changed: String?) -> Void
  private var text = ""
  private var isLoading = false
  /// Whether there is something to show: data, maybe of an earlier run, or an error.
  private var hasNews = false

  /// - Parameter show: Is called for every state; with the line, if that has changed.
  init(of publisher: Publisher<Value>, show: @escaping @MainActor (_ changed: String?) -> Void) {
    self.publisher = publisher
    self.show = show
  }

  func receive(_ publication: Publication<Value>) {
    let former = text
    let state = publication.state
    isLoading = state.phase == .loading
    hasNews = hasNews || state.phase == .loaded || state.phase == .error
    // While it loads again, what was shown stays: blanking it for every load would flicker.
    if !isLoading || !hasNews { text = text(of: state) + staleness(of: publication) }
    show(text == former ? nil : line)
  }

  func receive(_ state: LoadState<Value>) {}  // the publication is enough

  private var line: String {
    let name = "\(publisher.id)"
    return name + String(repeating: " ", count: max(1, 8 - name.count)) + text
  }

  /// The same, with a mark while a load is under way.
  var lineWithProgress: String { line + (isLoading ? " …" : "") }

  /// A load state has everything that a screen needs. The data survive an error, to be shown beside it.
  private func text(of state: LoadState<Value>) -> String {
    switch state {
    case .unknown: "unknown"
    case .loading: "loading"
    case .loaded(let value): "loaded: \(value)"
    case .error(let error, previous: nil): "error: \(error)"
    case .error(let error, previous: .some(let value)): "error: \(error) (was \(value))"
    }
  }

  /// Data may be stale when it comes, if it comes from the cache.
  private func staleness(of publication: Publication<Value>) -> String {
    guard publication.phase == .loaded, let age = publisher.age(of: publication), let limit = publisher.staleAfter,
      age >= limit
    else { return "" }
    return " (stale, \(age.components.seconds) s old)"
  }
}
