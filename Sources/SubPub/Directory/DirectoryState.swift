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
  /// The publishers whose managers are being logged out, one entry for each time: who does so may hold both.
  private var logouts: [PublisherID] = []

  /// Lists a publisher in the place of one that is gone. False when another is there by now.
  mutating func list(
    _ publisher: any ListedPublisher, as listing: Listing, for type: ObjectIdentifier, insteadOf gone: Listing?,
    isMade: Bool
  ) -> Bool {
    guard listings.add(listing, for: type, insteadOf: gone) else { return false }
    if isMade { made.append(publisher) }
    return true
  }

  mutating func beginLogout(of id: PublisherID) { logouts.append(id) }

  mutating func endLogout(of id: PublisherID) {
    if let index = logouts.firstIndex(of: id) { logouts.remove(at: index) }
  }

  func isBeingLoggedOut(_ id: PublisherID) -> Bool { logouts.contains(id) }
}
