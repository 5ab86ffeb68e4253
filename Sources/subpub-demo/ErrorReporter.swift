import SubPub
import Synchronization

/// Reports the errors of all publishers, whatever their types.
///
/// It reports each error once, and again if there was a success in between. On a pool, each subscription is served
/// separately, in order. So two publishers may call this object at the same time, and a lock protects its shared state.
final class ErrorReporter: Subscriber {
  private let console: Console
  private let purpose: OnPurpose
  private let standing = Mutex<[PublisherID: String]>([:])

  init(console: Console, purpose: OnPurpose) {
    self.console = console
    self.purpose = purpose
  }

  func receive(_ publication: any AnyPublication) {
    purpose.pauseIfAsked()  // on the background queue, a blocked thread delays no other subscriber
    let source = publication.source
    switch publication.phase {
    case .loading: break  // the error remains until the new load has ended
    case .unknown, .loaded: standing.withLock { $0[source] = nil }
    case .error:
      guard let error = publication.error.map({ "\($0)" }) else { return }
      let former = standing.withLock { $0.updateValue(error, forKey: source) }
      if former != error { console.report("\(source): \(error)") }
    }
  }
}
