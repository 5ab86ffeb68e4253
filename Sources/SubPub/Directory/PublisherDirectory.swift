/// The publishers of a program: finds each by the type of its values, lets one object watch all of them, and logs out.
///
/// Make one and hand it to whoever needs it. A type has one publisher here: one that you registered, or one that is
/// made when it is first asked for. Where two publishers have values of one type, wrap one of the types.
///
/// Everything may be called from any thread, task or actor, without `await` (rule 1.06), and no lock is held while
/// foreign code runs (rule 1.04). Releasing the directory ends what was subscribed by `subscribeToAll`, what is pending
/// for it included, and lets go of the publishers that it made; whoever still uses one keeps it.
public final class PublisherDirectory: Sendable {
  let id = PublisherID(label: "directory")
  let state = Locked(DirectoryState())

  /// A directory without publishers.
  public init() {}

  deinit {
    // Nobody else is there. A cancel lets go of closures, outside the lock.
    for watch in state.withLock({ $0.watches.members }) { watch.member.cancel() }
  }
}

extension PublisherDirectory {
  /// The publisher of that type: the registered one while it lives, else one that is made at first use, with the type's
  /// name as its label, and held until the directory is released.
  ///
  /// Threads that ask at the same time get the same one. When it returns, everyone who watched the directory has joined
  /// the publisher, and misses nothing that is published from now on. Constant time, but for the first use.
  public func publisher<Value: Sendable>(of type: Value.Type = Value.self) -> Publisher<Value> {
    while true {
      let listing = state.withLock { $0.listings[ObjectIdentifier(type)] }
      if let listing, let found = listing.publisher {
        introduce(listing)
        // By its key it has values of this type.
        return unsafe unsafeDowncast(found, to: Publisher<Value>.self)
      }
      let made = Publisher<Value>(label: "\(type)")
      if list(made, insteadOf: listing, isMade: true) { return made }
    }
  }

  /// Makes the publisher the one of its type. It is held weakly: when it is released, its type is free again.
  ///
  /// A second publisher of a type, while the first lives, is a programmer's error: the one that `publisher(of:)` made
  /// counts too, so register before the first use; and who has got the first from there keeps it. To register the same
  /// one again changes nothing. When it returns, everyone who watches the directory has joined. Time: what a
  /// subscription takes, for each who watches.
  public func register<Value: Sendable>(_ publisher: Publisher<Value>) {
    while true {
      let (listing, isBeingLoggedOut) = state.withLock { state in
        let listing = state.listings[ObjectIdentifier(Value.self)]
        return (listing, listing.map { state.isBeingLoggedOut($0.id) } ?? false)
      }
      if let listing, let standing = listing.publisher {
        if standing === publisher { return introduce(listing) }
        // Asked before this look: perhaps nobody but a `logoutAll` on another thread holds it.
        guard isBeingLoggedOut else {
          stopForMisuse(
            """
            \(publisher.id) can't be registered as the publisher of \(Value.self): \(listing.id) is, and lives. \
            Register one publisher of a type, before publisher(of:) makes one, or wrap one of the types
            """)
        }
      }
      if list(publisher, insteadOf: listing, isMade: false) { return }
    }
  }

  /// False when another thread came first.
  private func list<Value>(_ publisher: Publisher<Value>, insteadOf gone: Listing?, isMade: Bool) -> Bool {
    let listing = Listing(publisher)
    let (isListed, isSweepDue) = state.withLock { state in
      let isListed = state.list(
        publisher, as: listing, for: ObjectIdentifier(Value.self), insteadOf: gone, isMade: isMade)
      return (isListed, state.listings.isSweepDue)
    }
    guard isListed else { return false }
    introduce(listing)
    // All watches were looked at anyway.
    sweepWatches()
    if isSweepDue { sweepListings() }
    return true
  }

  private func introduce(_ listing: Listing) {
    listing.introduce { state.withLock { $0.watches.members }.map(\.member) }
  }
}

extension PublisherDirectory {
  /// Lets go of publishers that are gone. Returns the others.
  @discardableResult
  func sweepListings() -> [Listing] { sweep(\.listings) { $0.registry.hasEnded } }

  /// Lets go of watches whose subscriber or actor is gone, and of cancelled ones. Returns the others.
  @discardableResult
  func sweepWatches() -> [Subscription] {
    sweep(\.watches) { handle in
      guard !handle.isActive else { return false }
      handle.cancel()
      return true
    }
  }

  /// Takes the gone ones out of the roll, and returns the others. Asks in the order of joining, and outside the lock:
  /// to look at a weak reference is to hold its object for a moment, and perhaps to be the last.
  @discardableResult
  func sweep<Key, Member>(_ roll: WritableKeyPath<DirectoryState, Roll<Key, Member>>, isGone: (Member) -> Bool)
    -> [Member]
  {
    var (gone, left): ([(key: Key, member: Member)], [Member]) = ([], [])
    for (key, member) in state.withLock({ $0[keyPath: roll].members }) {
      if isGone(member) { gone.append((key, member)) } else { left.append(member) }
    }
    state.withLock { $0[keyPath: roll].remove(gone) }
    return left
  }
}

extension PublisherDirectory: CustomStringConvertible {
  /// How many publishers live, and how many objects watch them. Looks at each.
  public var description: String {
    "PublisherDirectory(publishers: \(sweepListings().count), watched by: \(sweepWatches().count))"
  }
}
