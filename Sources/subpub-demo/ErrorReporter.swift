import SubPub
import Synchronization

/// Says what goes wrong, whichever publisher it is and whatever it publishes: each error once, and again if all was
/// well in between.
///
/// On a pool each subscription is served by itself, in order. So two publishers may call this at the same time,
/// and what they share is under a lock.
final class ErrorReporter: Subscriber {
  private let console: Console
  private let standing = Mutex<[PublisherID: String]>([:])

  init(console: Console) { self.console = console }

  func receive(_ publication: any AnyPublication) {
    let source = publication.source
    switch publication.phase {
    case .loading: break  // the error stands until the new load has ended
    case .unknown, .loaded: standing.withLock { $0[source] = nil }
    case .error:
      guard let error = publication.error.map({ "\($0)" }) else { return }
      let former = standing.withLock { $0.updateValue(error, forKey: source) }
      if former != error { console.report("\(source): \(error)") }
    }
  }
}
