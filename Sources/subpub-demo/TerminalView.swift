import SubPub

/// Shows the latest of each publisher, as a view of an app would: a class on the main actor.
///
/// The library calls its methods on the main actor, one at a time, so its properties need no lock, and the
/// compiler knows it.
@MainActor
final class TerminalView {
  private var load = TerminalRow(name: "load")
  private var memory = TerminalRow(name: "memory")
  private var path = TerminalRow(name: "path")
  private let console: Console

  init(console: Console) { self.console = console }

  func showLoad(_ state: LoadState<LoadAverage>) { show(load.take(state)) }
  func showMemory(_ state: LoadState<Memory>) { show(memory.take(state)) }
  func showPath(_ state: LoadState<WatchedItem>) { show(path.take(state)) }

  /// A terminal is redrawn for every state. Elsewhere there is one more line when a row has changed.
  private func show(_ changed: String?) {
    if console.redraws {
      console.draw([load, memory, path].map(\.lineWithProgress))
    } else if let changed {
      console.print(changed)
    }
  }
}
