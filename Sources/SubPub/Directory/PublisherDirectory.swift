import Synchronization

/// The publishers of a program: finds each by the type of its values, lets one object subscribe to all of them, and logs out.
///
/// Make one directory and pass it to whoever needs it. Each type has one publisher here: one that you have registered, or one
/// that is made when it is first asked for. If two publishers have values of the same type, wrap one of the types.
///
/// Call everything from any thread, task or actor, without `await` (1.06). No lock is held while foreign code runs (1.04).
/// Releasing the directory ends the subscriptions that `subscribeToAll` has made, including what is pending for them, and
/// releases the publishers that it has made.
public final class PublisherDirectory: Sendable {
  let state = Locked(DirectoryState())
  /// Knows who has subscribed to everything, and whether they are alive. Publishes nothing.
  let members = PublisherRegistry(PublisherID(label: "directory"), initial: nil)

  /// Creates a directory without publishers.
  public init() {}

  deinit {
    for subscription in subscriptions { subscription.cancel() }
    members.end()
  }
}

/// What a directory knows. Decides only.
struct DirectoryState {
  /// By the type of their values.
  var publishers = OrderedTable<ObjectIdentifier, PublisherEntry>()
  /// Those that the directory has made. Never removed.
  private var made: [any AnyObject & Sendable] = []
  /// By their memberships.
  var subscriptions = OrderedTable<ObjectIdentifier, DirectorySubscription>()
  var managers = OrderedTable<ManagerEntry.Key, ManagerEntry>()
  /// The publishers whose managers are being logged out, once for each logout: that may hold both.
  private var logouts: [PublisherID] = []

  /// Adds a publisher in place of one that is gone. False if another one is there by now.
  mutating func add(
    _ publisher: any AnyObject & Sendable, as entry: PublisherEntry, for type: ObjectIdentifier,
    insteadOf gone: PublisherEntry?, isMade: Bool
  ) -> Bool {
    guard publishers.add(entry, for: type, insteadOf: gone) else { return false }
    if isMade { made.append(publisher) }
    return true
  }

  mutating func beginLogout(of id: PublisherID) { logouts.append(id) }

  mutating func endLogout(of id: PublisherID) {
    if let index = logouts.firstIndex(of: id) { logouts.remove(at: index) }
  }

  func isBeingLoggedOut(_ id: PublisherID) -> Bool { logouts.contains(id) }
}

/// A publisher in a directory.
///
/// It doesn't keep the publisher alive, and loads it only to return it. Loading it for anything else could make it outlive its
/// last user, and be in the way of its successor.
final class PublisherEntry: Sendable {
  weak let publisher: (any AnyObject & Sendable)?
  let registry: PublisherRegistry
  /// Makes the request of a type-less subscriber.
  let request: @Sendable (TypelessSubscriber) -> SubscriptionRequest
  /// Whether everyone who had subscribed to the directory before has subscribed here. The release orders their turns before
  /// whatever is done by somebody who finds it true.
  private let isIntroduced = Atomic<Bool>(false)

  init<Value>(_ publisher: Publisher<Value>) {
    self.publisher = publisher
    registry = publisher.registry
    request = { $0.request(at: Publisher<Value>.self) }
  }

  var id: PublisherID { registry.source }

  /// Subscribes everyone, unless that was done before. Several threads may do so at once, and each returns only when it is
  /// done.
  func introduce(to subscriptions: () -> [DirectorySubscription]) {
    guard !isIntroduced.load(ordering: .acquiring) else { return }
    for subscription in subscriptions() { subscription.join(self) }
    isIntroduced.store(true, ordering: .releasing)
  }
}

/// Finding publishers.
extension PublisherDirectory {
  /// Returns the publisher of a type: the registered one while it lives, otherwise one that is made at first use.
  ///
  /// A publisher that is made has the type's name as its label, and is held until the directory is released. Threads that ask
  /// at the same time receive the same one. When this returns, everyone who has subscribed to the directory has subscribed to
  /// the publisher, and misses nothing that is published from now on.
  ///
  /// - Complexity: O(1), except for the first use.
  public func publisher<Value: Sendable>(of type: Value.Type = Value.self) -> Publisher<Value> {
    while true {
      let entry = state.withLock { $0.publishers[ObjectIdentifier(type)] }
      if let entry, let found = entry.publisher {
        introduce(entry)
        // Its key says that its values have this type.
        return unsafe unsafeDowncast(found, to: Publisher<Value>.self)
      }
      let made = Publisher<Value>(label: "\(type)")
      if add(made, insteadOf: entry, isMade: true) { return made }
    }
  }

  /// Makes a publisher the one of its type.
  ///
  /// It is held weakly: when it is released, another one can take its place. Registering the same one again changes nothing.
  /// When this returns, everyone who has subscribed to the directory has subscribed to the publisher.
  ///
  /// - Precondition: The type has no other living publisher. One that ``publisher(of:)`` has made counts, so register before
  ///   the first use.
  /// - Complexity: O(n) in the number of subscribers of the directory.
  public func register<Value: Sendable>(_ publisher: Publisher<Value>) {
    while true {
      let (entry, isBeingLoggedOut) = state.withLock { state in
        let entry = state.publishers[ObjectIdentifier(Value.self)]
        return (entry, entry.map { state.isBeingLoggedOut($0.id) } ?? false)
      }
      if let entry, let existing = entry.publisher {
        if existing === publisher { return introduce(entry) }
        // Asked before the publisher was loaded. Perhaps only a `logoutAll` on another thread holds it.
        guard isBeingLoggedOut else {
          stopForMisuse(
            """
            \(publisher.id) can't be registered as the publisher of \(Value.self): \(entry.id) is, and is alive. Register \
            one publisher of a type, before publisher(of:) makes one, or wrap one of the types
            """)
        }
      }
      if add(publisher, insteadOf: entry, isMade: false) { return }
    }
  }

  /// False if another thread came first.
  private func add<Value>(_ publisher: Publisher<Value>, insteadOf gone: PublisherEntry?, isMade: Bool) -> Bool {
    let entry = PublisherEntry(publisher)
    let (isAdded, isSweepDue) = state.withLock { state in
      let isAdded = state.add(
        publisher, as: entry, for: ObjectIdentifier(Value.self), insteadOf: gone, isMade: isMade)
      return (isAdded, state.publishers.isSweepDue)
    }
    guard isAdded else { return false }
    introduce(entry)
    // All of them were loaded anyway.
    sweepSubscriptions()
    if isSweepDue { sweepPublishers() }
    return true
  }

  private func introduce(_ entry: PublisherEntry) { entry.introduce { subscriptions } }

  var subscriptions: [DirectorySubscription] { state.withLock { $0.subscriptions.entries }.map(\.entry) }
}

/// Removing what is gone.
extension PublisherDirectory {
  /// Removes publishers that are gone. Returns the others.
  @discardableResult
  func sweepPublishers() -> [PublisherEntry] { sweep(\.publishers) { $0.registry.hasEnded } }

  /// Removes subscriptions that were cancelled, or whose subscriber or actor is gone. Returns the others.
  @discardableResult
  func sweepSubscriptions() -> [DirectorySubscription] {
    sweep(\.subscriptions) { subscription in
      guard !subscription.isActive else { return false }
      subscription.cancel()
      return true
    }
  }

  /// Removes entries that are gone, and returns the others. Asks in the order in which they were added, and outside the lock:
  /// loading a weak reference holds its object for a moment, and may be the last to release it.
  @discardableResult
  func sweep<Key, Entry>(
    _ table: WritableKeyPath<DirectoryState, OrderedTable<Key, Entry>>, isGone: (Entry) -> Bool
  ) -> [Entry] {
    var (gone, left): ([(key: Key, entry: Entry)], [Entry]) = ([], [])
    for (key, entry) in state.withLock({ $0[keyPath: table].entries }) {
      if isGone(entry) { gone.append((key, entry)) } else { left.append(entry) }
    }
    state.withLock { $0[keyPath: table].remove(gone) }
    return left
  }
}

extension PublisherDirectory: CustomStringConvertible {
  /// The number of living publishers, and of living objects that have subscribed to all of them.
  public var description: String {
    "PublisherDirectory(publishers: \(sweepPublishers().count), subscribers: \(sweepSubscriptions().count))"
  }
}
