/// A group of delegates of one protocol, each called on the context that it chose.
///
/// ```swift
/// protocol DownloadDelegate: AnyObject, Sendable { func downloadFinished() }
/// final class Log: DownloadDelegate { func downloadFinished() { print("finished") } }
///
/// let log = Log()
/// let delegates = MulticastDelegate<any DownloadDelegate>()
/// delegates.add(log, on: .background)
/// delegates.call { $0.downloadFinished() }
/// ```
///
/// It keeps the rules of a ``Publisher``, with "call" for "transition": all delegates receive the same calls in the
/// same order (1.02). Buffers are unbounded, and a new delegate receives no earlier calls. To make a method of the
/// protocol optional, give it a default implementation.
public final class MulticastDelegate<Delegate: Sendable>: Sendable {
  @usableFromInline let registry: PublisherRegistry

  /// Creates an empty group.
  ///
  /// - Parameter label: A name for logs and debuggers.
  public init(label: String? = nil) { registry = PublisherRegistry(PublisherID(label: label), initial: nil) }

  deinit { registry.release() }

  /// Adds an object that conforms to the protocol; it receives every later call.
  ///
  /// - Parameters:
  ///   - delegate: The object that receives the calls. Held weakly (2.05).
  ///   - context: Where the calls run.
  ///   - ifDuplicate: What to do if the object is already a delegate (2.06).
  ///   - label: A name for logs and snapshots.
  /// - Returns: The subscription, which you don't need to keep.
  /// - Precondition: `delegate` is a class instance.
  @discardableResult @inlinable
  public func add(
    _ delegate: Delegate, on context: DeliveryContext, ifDuplicate: DuplicatePolicy = .ignore, label: String? = nil
  ) -> Subscription {
    registry.subscribe(
      SubscriptionRequest(
        classInstance(of: delegate, as: "delegate"), through: SubscriberInterface(.delegate), on: context,
        buffering: .unbounded, ifDuplicate: ifDuplicate, label: label
      ) { [delegate = UnownedExistential(delegate)] _, box in
        delegate.use(DelegateCall<Delegate>.from(box).body)
      })
  }

  /// Removes an object.
  ///
  /// Call it from any thread, even in the object's own `deinit`.
  ///
  /// - Parameter delegate: The object.
  /// - Returns: Whether a call was under way, and where (3.02).
  /// - Complexity: Amortized O(1).
  /// - Precondition: `delegate` is a class instance.
  @discardableResult @inlinable
  public func remove(_ delegate: Delegate) -> CancelOutcome {
    registry.unsubscribe(classInstance(of: delegate, as: "delegate"))
  }

  /// Calls every delegate.
  ///
  /// Returns without waiting for the calls, except those to delegates with ``DeliveryContext/immediate`` (1.05).
  ///
  /// - Parameter body: Runs once for each delegate, on the delegate's context. Released after the last call.
  @inlinable
  public func call(_ body: @escaping @Sendable (Delegate) -> Void) { registry.publish(DelegateCall(body)) }

  /// Waits until every delegate has received every call made so far (3.07).
  ///
  /// Only delegates that have been added before count. Returns early if the task is cancelled.
  public func drain() async { await registry.drain() }

  /// The number of living delegates.
  ///
  /// - Complexity: O(*n*) in the number of delegates.
  public var count: Int { registry.subscriptions.count }
}

extension MulticastDelegate: CustomStringConvertible {
  /// The protocol, the label, and the number of living delegates, for logs.
  public var description: String { "MulticastDelegate<\(Delegate.self)>(\(registry.source), delegates: \(count))" }
}

/// A group of delegates of a main-actor protocol, which needn't be `Sendable`.
///
/// Calls run on the main actor. Everything else is as with ``MulticastDelegate``.
public final class MainActorMulticastDelegate<Delegate>: Sendable {
  @usableFromInline let registry: PublisherRegistry

  /// Creates an empty group.
  ///
  /// - Parameter label: A name for logs and debuggers.
  public init(label: String? = nil) { registry = PublisherRegistry(PublisherID(label: label), initial: nil) }

  deinit { registry.release() }

  /// Adds an object that conforms to the protocol; it receives every later call.
  ///
  /// - Parameters:
  ///   - delegate: The object that receives the calls. Held weakly (2.05).
  ///   - ifDuplicate: What to do if the object is already a delegate (2.06).
  ///   - label: A name for logs and snapshots.
  /// - Returns: The subscription, which you don't need to keep.
  /// - Precondition: `delegate` is a class instance.
  @MainActor @discardableResult @inlinable
  public func add(_ delegate: Delegate, ifDuplicate: DuplicatePolicy = .ignore, label: String? = nil) -> Subscription {
    registry.subscribe(
      SubscriptionRequest(
        classInstance(of: delegate, as: "delegate"), through: SubscriberInterface(.delegate, isOnMainActor: true),
        on: .main, buffering: .unbounded, ifDuplicate: ifDuplicate, label: label
      ) { [delegate = UnownedExistential(delegate)] _, box in
        delegate.use(DelegateCall<Delegate>.from(box).body)
      })
  }

  /// Removes an object.
  ///
  /// - Parameter delegate: The object.
  /// - Returns: Whether a call was under way (3.02).
  /// - Complexity: Amortized O(1).
  /// - Precondition: `delegate` is a class instance.
  @MainActor @discardableResult @inlinable
  public func remove(_ delegate: Delegate) -> CancelOutcome {
    registry.unsubscribe(classInstance(of: delegate, as: "delegate"))
  }

  /// Calls every delegate on the main actor.
  ///
  /// Call it from any thread. It returns without waiting for the calls (1.05).
  ///
  /// - Parameter body: Runs once for each delegate, on the main actor. Released after the last call.
  @inlinable
  public func call(_ body: @escaping @MainActor @Sendable (Delegate) -> Void) {
    let body = forMainActorLane { (delegate: Delegate, _: Void) in body(delegate) }
    registry.publish(DelegateCall<Delegate> { body($0, ()) })
  }

  /// Waits until every delegate has received every call made so far (3.07).
  ///
  /// Only delegates that have been added before count. Returns early if the task is cancelled.
  public func drain() async { await registry.drain() }

  /// The number of living delegates.
  ///
  /// Outside the main actor, it may include delegates that have died since that last ran (2.05).
  ///
  /// - Complexity: O(*n*) in the number of delegates.
  public var count: Int { registry.subscriptions.count }
}

extension MainActorMulticastDelegate: CustomStringConvertible {
  /// The protocol, the label, and the number of living delegates, for logs.
  public var description: String {
    "MainActorMulticastDelegate<\(Delegate.self)>(\(registry.source), delegates: \(count))"
  }
}

/// One call to many delegates, in a box that the engine can move.
@_fixed_layout @usableFromInline
final class DelegateCall<Delegate>: BoxedPublication {
  @usableFromInline let body: @Sendable (Delegate) -> Void

  @inlinable
  init(_ body: @escaping @Sendable (Delegate) -> Void) { self.body = body }

  /// Does nothing: no one asks a call for its version.
  @inlinable
  package func stamp(_ version: UInt64) {}

  @inlinable
  package var isLoaded: Bool { true }

  @usableFromInline package var isUnknown: Bool { false }
  @usableFromInline package var id: PublicationID { PublicationID(epoch: 0, version: 0) }
  @usableFromInline package var carried: Carried? { nil }
  @usableFromInline package func carry(_ carried: Carried) {}
  @usableFromInline package var publication: (any AnyPublication)? { nil }

  @inlinable @inline(__always)
  static func from(_ box: any BoxedPublication) -> DelegateCall {
    unsafe unsafeDowncast(box, to: DelegateCall.self)
  }
}
