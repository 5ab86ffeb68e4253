import Synchronization

/// A publisher's entry in a directory. Doesn't keep the publisher, and needs to hold it for nothing but to hand it out:
/// otherwise a look at it could make it outlive its last user, and be in its successor's way.
final class Listing: Sendable {
  weak let publisher: (any ListedPublisher)?
  let type: any ListedPublisher.Type
  let registry: PublisherRegistry
  /// Whether everyone who watched the directory when this entry was made has joined. The release orders their turns
  /// before whatever somebody does who finds it so.
  private let isIntroduced = Atomic<Bool>(false)

  init<Value>(_ publisher: Publisher<Value>) {
    self.publisher = publisher
    type = Publisher<Value>.self
    registry = publisher.registry
  }

  var id: PublisherID { registry.source }

  /// Has everyone join, unless that has been done. Several may do it at once: each of them returns only when it is
  /// done.
  func introduce(to watches: () -> [Subscription]) {
    guard !isIntroduced.load(ordering: .acquiring) else { return }
    for handle in watches() { Watch.of(handle)?.join(self, for: handle) }
    isIntroduced.store(true, ordering: .releasing)
  }
}
