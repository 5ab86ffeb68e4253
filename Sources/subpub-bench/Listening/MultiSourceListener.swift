import SubPub

/// Delivered to from several publishing threads, whose payloads say from which: each thread's own order must hold.
final class MultiSourceListener: Receiver {
  private let sources: [Listener]

  init(sources: Int) { self.sources = (0..<sources).map { _ in Listener() } }

  func receive(_ state: LoadState<[Int]>) {
    guard case .loaded(let value) = state else { return }
    sources[value[1]].receive(state)
  }

  /// - Parameter published: By each of the threads.
  func check(published: Int) throws(Shortfall) {
    for source in sources { try source.check(published: published) }
  }
}
