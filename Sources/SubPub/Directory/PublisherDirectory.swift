import Synchronization

/// The publishers of a program, each found by the type of its values, and by a name if there are several of one type.
///
/// A directory also lets one object subscribe to all publishers, and logs out all managers. Create one directory and
/// pass it to the code that needs it. Each type and name has one publisher: the one that you register, or one that is
/// created when it is first requested.
///
/// You can call every operation from any thread, task, or actor, without `await` (1.06). No lock is held while foreign
/// code runs (1.04). Releasing the directory ends the subscriptions that `subscribeToAll` has made, drops their pending
/// states, and releases the publishers that the directory has created.
public final class PublisherDirectory: Sendable {
  let state = Locked(DirectoryState())
  private let instrumentation: (any Instrumentation)?

  /// Creates an empty directory.
  ///
  /// - Parameter instrumentation: Is told what happens at the publishers that the directory makes (7.04). Those that
  ///   you register have their own.
  public init(instrumentation: (any Instrumentation)? = nil) { self.instrumentation = instrumentation }

  deinit {
    for (_, manager) in state.withLock({ $0.managers.entries }) { manager.forget(ObjectIdentifier(self)) }
    for subscription in subscriptions { subscription.cancel() }
  }
}

/// The state of a directory: decisions only, no locks and no foreign code.
struct DirectoryState {
  var publishers = OrderedTable<PublisherKey, PublisherEntry>()
  var subscriptions = OrderedTable<TypelessSubscriber.Key, DirectorySubscription>()
  var managers = OrderedTable<ManagerEntry.Key, ManagerEntry>()
  /// The publishers whose managers are being logged out, once for each logout: a logout may hold the manager and its
  /// publisher.
  var logouts: [PublisherID] = []
}

/// The key of a publisher in a directory.
enum PublisherKey: Hashable {
  /// The type of its values, and its name if it has one.
  case type(ObjectIdentifier, name: String?)
  /// It belongs to a family's manager, so it can't be found by its type.
  case family(PublisherID)
}

/// A publisher in a directory.
///
/// It keeps the publisher alive only if the directory has made it. Read the weak reference to any other publisher only
/// to return it: any other strong reference could outlive the publisher's last user, and keep a successor from taking
/// its place.
final class PublisherEntry: Sendable {
  weak let publisher: (any AnyObject & Sendable)?
  private let made: (any AnyObject & Sendable)?
  let registry: PublisherRegistry
  /// Makes the request of a type-less subscriber.
  let request: @Sendable (TypelessSubscriber) -> SubscriptionRequest
  /// Resets the publisher.
  let reset: @Sendable () -> Void
  /// Describes the publisher; nil after its release.
  let snapshot: @Sendable () -> PublisherSnapshot?
  /// Whether every earlier subscriber of the directory has subscribed here.
  ///
  /// The release orders their turns before everything that a thread does after finding it true.
  private let isIntroduced = Atomic<Bool>(false)

  init<Value>(_ publisher: Publisher<Value>, isMade: Bool) {
    self.publisher = publisher
    made = isMade ? publisher : nil
    registry = publisher.registry
    request = { $0.request(at: Publisher<Value>.self) }
    snapshot = { [access = publisher._access] in access.snapshot() }
    reset = { [registry] in registry.publish(Publication<Value>(.unknown, source: registry.source, provenance: nil)) }
  }

  var id: PublisherID { registry.source }

  /// Subscribes every subscriber of the directory, unless that was done before.
  ///
  /// Several threads may do this at once, and each returns only when it is done.
  func introduce(to subscriptions: () -> [DirectorySubscription]) {
    guard !isIntroduced.load(ordering: .acquiring) else { return }
    for subscription in subscriptions() { subscription.join(self) }
    isIntroduced.store(true, ordering: .releasing)
  }
}

/// Finding publishers.
extension PublisherDirectory {
  /// Returns the publisher of a type and name, which is created if no living publisher is registered.
  ///
  /// A publisher that is created is labeled with its type, followed by its name if it has one. It is held until
  /// the directory is released. Threads that ask at the same time receive the same one. When this function returns,
  /// every subscriber of the directory has subscribed to the publisher, and misses nothing that is published from now
  /// on.
  ///
  /// - Parameters:
  ///   - type: The type of the publisher's values.
  ///   - name: Distinguishes publishers with values of the same type.
  /// - Returns: The publisher.
  /// - Complexity: O(1) on average; O(*n* log *n*) in the number of the directory's subscribers if it creates one.
  public func publisher<Value: Sendable>(of type: Value.Type = Value.self, named name: String? = nil) -> Publisher<
    Value
  > {
    let key = PublisherKey.type(ObjectIdentifier(type), name: name)
    while true {
      let entry = state.withLock { $0.publishers[key] }
      if let entry, let found = entry.publisher {
        introduce(entry)
        // The key guarantees the type of its values.
        return unsafe unsafeDowncast(found, to: Publisher<Value>.self)
      }
      let made = Publisher<Value>(
        label: name.map { "\(type) \($0)" } ?? "\(type)", instrumentation: instrumentation)
      if add(made, for: key, insteadOf: entry, isMade: true) { return made }
    }
  }

  /// Registers a publisher for its type, and for a name if there are several of one type.
  ///
  /// The publisher is held weakly: when it is released, another one can take its place. Registering the same one again
  /// changes nothing. When this function returns, every subscriber of the directory has subscribed to the publisher.
  ///
  /// - Parameters:
  ///   - publisher: The publisher.
  ///   - name: Distinguishes publishers with values of the same type.
  /// - Precondition: The type has no other living publisher of that name. One that ``publisher(of:named:)`` has created
  ///   counts, so register before the first use.
  /// - Complexity: O(*n* log *n*) in the number of the directory's subscribers.
  public func register<Value: Sendable>(_ publisher: Publisher<Value>, named name: String? = nil) {
    let key = PublisherKey.type(ObjectIdentifier(Value.self), name: name)
    while true {
      let (entry, isBeingLoggedOut) = state.withLock { state in
        let entry = state.publishers[key]
        return (entry, entry.map { state.logouts.contains($0.id) } ?? false)
      }
      if let entry, let existing = entry.publisher {
        if existing === publisher { return introduce(entry) }
        // Read before the publisher was loaded. Perhaps only a `logoutAll` on another thread holds it.
        guard isBeingLoggedOut else {
          stopForMisuse(
            """
            \(publisher.id) can't be registered as the publisher of \(Value.self)\(name.map { " named \($0)" } ?? ""): \
            \(entry.id) is, and is alive. Register it before publisher(of:) makes one, or give it a name of its own
            """)
        }
      }
      if add(publisher, for: key, insteadOf: entry, isMade: false) { return }
    }
  }

  /// Adds the publisher of a family's manager, unless it was added before.
  ///
  /// Several threads may do this at once. When it returns, every subscriber of the directory has subscribed.
  func addMember<Value>(_ publisher: Publisher<Value>) {
    let key = PublisherKey.family(publisher.id)
    if let entry = state.withLock({ $0.publishers[key] }) { return introduce(entry) }
    if !add(publisher, for: key, insteadOf: nil, isMade: false) { addMember(publisher) }
  }

  /// Adds a publisher; returns false if another thread came first.
  private func add<Value>(
    _ publisher: Publisher<Value>, for key: PublisherKey, insteadOf gone: PublisherEntry?, isMade: Bool
  ) -> Bool {
    let entry = PublisherEntry(publisher, isMade: isMade)
    let (isAdded, isSweepDue) = state.withLock { state in
      let isAdded = state.publishers.add(entry, for: key, insteadOf: gone)
      return (isAdded, state.publishers.isSweepDue)
    }
    guard isAdded else { return false }
    introduce(entry)
    // All subscriptions have just been loaded anyway.
    sweepSubscriptions()
    if isSweepDue { sweepPublishers() }
    return true
  }

  private func introduce(_ entry: PublisherEntry) { entry.introduce { subscriptions } }

  var subscriptions: [DirectorySubscription] { state.withLock { $0.subscriptions.entries }.map(\.entry) }
}

/// Removing entries that are gone.
extension PublisherDirectory {
  /// Removes publishers that are gone, and returns the others.
  @discardableResult
  func sweepPublishers() -> [PublisherEntry] { sweep(\.publishers) { $0.registry.isReleased } }

  /// Removes subscriptions that have ended, and returns the others.
  ///
  /// A subscription also ends when its subscriber or actor is gone.
  @discardableResult
  func sweepSubscriptions() -> [DirectorySubscription] {
    sweep(\.subscriptions) { subscription in
      guard !subscription.isActive else { return false }
      subscription.cancel()
      return true
    }
  }

  /// Removes entries that are gone, and returns the others.
  ///
  /// Entries are checked in the order in which they were added, and outside the lock: reading a weak reference retains
  /// the object briefly, and that can become the last reference to it.
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

extension PublisherDirectory {
  /// Describes every living publisher that the directory has made, or that was registered, and those of families.
  ///
  /// - Returns: The descriptions, in the order in which the publishers were added; see `table`.
  /// - Complexity: O(*n* log *n*) in the number of publishers, and O(*s*) in that of their subscriptions.
  public func snapshot() -> [PublisherSnapshot] { sweepPublishers().compactMap { $0.snapshot() } }
}

extension PublisherDirectory: CustomStringConvertible {
  /// The numbers of living publishers and of living subscribers to all of them, for logs.
  public var description: String {
    "PublisherDirectory(publishers: \(sweepPublishers().count), subscribers: \(sweepSubscriptions().count))"
  }
}
