import Synchronization

/// A publisher's entry in a directory. Doesn't keep the publisher.
final class Listing: Sendable {
  let id: PublisherID
  weak let publisher: (any ListedPublisher)?
  /// Whether everyone who watched the directory when this entry was made has joined. The release orders their turns
  /// before whatever somebody does who finds it so.
  private let isIntroduced = Atomic<Bool>(false)

  init(_ publisher: any ListedPublisher) {
    id = publisher.id
    self.publisher = publisher
  }

  /// Has everyone join, unless that has been done. Several may do it at once: each of them returns only when it is done.
  func introduce(to watches: () -> [Subscription]) {
    guard !isIntroduced.load(ordering: .acquiring) else { return }
    for handle in watches() { Watch.of(handle)?.join(self, for: handle) }
    isIntroduced.store(true, ordering: .releasing)
  }
}
