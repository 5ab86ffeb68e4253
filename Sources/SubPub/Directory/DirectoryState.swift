/// What a directory knows. Decides only.
struct DirectoryState {
  struct WatchKey: Hashable {
    let subscriber: ObjectIdentifier
    let face: SubscriberFace
  }

  /// By value type.
  var listings = Roll<ObjectIdentifier, Listing>()
  /// Those that the directory made; never taken out.
  private var made: [any ListedPublisher] = []
  /// Handles of watches.
  var watches = Roll<WatchKey, Subscription>()
  var managers = Roll<ListedManager.Key, ListedManager>()
  /// How many are about to log a manager of that publisher out, and may hold both.
  private var logouts: [PublisherID: Int] = [:]

  /// Lists a publisher in the place of one that is gone. False when another is there by now.
  mutating func list(
    _ publisher: any ListedPublisher, as listing: Listing, for type: ObjectIdentifier, insteadOf gone: Listing?,
    isMade: Bool
  ) -> Bool {
    guard listings.add(listing, for: type, insteadOf: gone) else { return false }
    if isMade { made.append(publisher) }
    return true
  }

  mutating func beginLogout(of id: PublisherID) { logouts[id, default: 0] += 1 }

  mutating func endLogout(of id: PublisherID) {
    guard let count = logouts[id] else { return }
    logouts[id] = count > 1 ? count - 1 : nil
  }

  func isLoggedOut(_ id: PublisherID) -> Bool { logouts[id] != nil }
}
