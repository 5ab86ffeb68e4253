/// Many delegates of one protocol: every call goes to each of them, on the context that it has chosen.
///
/// ```swift
/// let delegates = MulticastDelegate<any DownloadDelegate>()
/// delegates.add(log, on: .background)
/// delegates.call { $0.downloadFinished() }
/// ```
///
/// It keeps the rules of a publisher, with "call" for "transition", with unbounded buffers, and without a replay: all delegates
/// receive the same calls in the same order. Optional methods are methods with a default implementation.
public final class MulticastDelegate<Delegate: Sendable>: Sendable {
  @usableFromInline let registry: PublisherRegistry

  /// Creates a group without delegates.
  ///
  /// - Parameter label: A name for logs and debuggers.
  public init(label: String? = nil) { registry = PublisherRegistry(PublisherID(label: label), initial: nil) }

  deinit { registry.end() }

  /// Adds an object that conforms to the protocol. It receives every call from now on.
  ///
  /// - Parameters:
  ///   - delegate: Receives the calls. Held weakly (2.05).
  ///   - context: Where the calls run.
  ///   - ifDuplicate: What happens if the object is a delegate already (2.06).
  /// - Returns: The subscription. You needn't keep it.
  /// - Precondition: `delegate` is a class instance.
  @discardableResult @inlinable
  public func add(
    _ delegate: Delegate, on context: DeliveryContext, ifDuplicate: DuplicatePolicy = .ignore
  ) -> Subscription {
    registry.subscribe(
      SubscriptionRequest(
        classInstance(of: delegate, as: "delegate"), through: SubscriberInterface(.delegate), on: context,
        buffering: .unbounded, ifDuplicate: ifDuplicate
      ) { [delegate = UnownedExistential(delegate)] _, box in
        delegate.use(DelegateCall<Delegate>.from(box).body)
      })
  }

  /// Removes an object. You may call this in its own `deinit`.
  ///
  /// - Returns: What was under way (3.02).
  /// - Precondition: `delegate` is a class instance.
  @discardableResult @inlinable
  public func remove(_ delegate: Delegate) -> CancelOutcome {
    registry.unsubscribe(classInstance(of: delegate, as: "delegate"))
  }

  /// Calls every delegate.
  ///
  /// - Parameter body: Runs once for each delegate, on its context. Released after the last one.
  @inlinable
  public func call(_ body: @escaping @Sendable (Delegate) -> Void) { registry.publish(DelegateCall(body)) }

  /// Returns when every delegate of this moment has received every call of this moment (3.07). Returns early if the task is
  /// cancelled.
  public func drain() async { await registry.drain() }

  /// The number of living delegates.
  ///
  /// - Complexity: O(n) in the number of delegates.
  public var count: Int { registry.subscriptions.count }
}

extension MulticastDelegate: CustomStringConvertible {
  /// The protocol, the label, and the number of living delegates.
  public var description: String { "MulticastDelegate<\(Delegate.self)>(\(registry.source), delegates: \(count))" }
}

/// Many delegates of a protocol of the main actor, which needn't be `Sendable`. Calls run on the main actor.
///
/// Everything else is as with ``MulticastDelegate``.
public final class MainActorMulticastDelegate<Delegate>: Sendable {
  @usableFromInline let registry: PublisherRegistry

  /// Creates a group without delegates.
  ///
  /// - Parameter label: A name for logs and debuggers.
  public init(label: String? = nil) { registry = PublisherRegistry(PublisherID(label: label), initial: nil) }

  deinit { registry.end() }

  /// Adds an object that conforms to the protocol. It receives every call from now on.
  ///
  /// - Parameters:
  ///   - delegate: Receives the calls. Held weakly (2.05).
  ///   - ifDuplicate: What happens if the object is a delegate already (2.06).
  /// - Returns: The subscription. You needn't keep it.
  /// - Precondition: `delegate` is a class instance.
  @MainActor @discardableResult @inlinable
  public func add(_ delegate: Delegate, ifDuplicate: DuplicatePolicy = .ignore) -> Subscription {
    registry.subscribe(
      SubscriptionRequest(
        classInstance(of: delegate, as: "delegate"), through: SubscriberInterface(.delegate, isOnMainActor: true),
        on: .main, buffering: .unbounded, ifDuplicate: ifDuplicate
      ) { [delegate = UnownedExistential(delegate)] _, box in
        delegate.use(DelegateCall<Delegate>.from(box).body)
      })
  }

  /// Removes an object.
  ///
  /// - Returns: What was under way (3.02).
  /// - Precondition: `delegate` is a class instance.
  @MainActor @discardableResult @inlinable
  public func remove(_ delegate: Delegate) -> CancelOutcome {
    registry.unsubscribe(classInstance(of: delegate, as: "delegate"))
  }

  /// Calls every delegate on the main actor. Call it from any thread.
  ///
  /// - Parameter body: Runs once for each delegate, on the main actor.
  @inlinable
  public func call(_ body: @escaping @MainActor @Sendable (Delegate) -> Void) {
    let body = forMainActorLane { (delegate: Delegate, _: Void) in body(delegate) }
    registry.publish(DelegateCall<Delegate> { body($0, ()) })
  }

  /// Returns when every delegate of this moment has received every call of this moment (3.07). Returns early if the task is
  /// cancelled.
  public func drain() async { await registry.drain() }

  /// The number of living delegates.
  ///
  /// Counted on another thread than the main actor's, it may include a delegate that is being released at that moment, and
  /// then holds the delegate until the main actor has time to release it, as it must not die anywhere else (2.05).
  ///
  /// - Complexity: O(n) in the number of delegates.
  public var count: Int { registry.subscriptions.count }
}

extension MainActorMulticastDelegate: CustomStringConvertible {
  /// The protocol, the label, and the number of living delegates.
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

  /// Nobody asks a call for its version.
  @inlinable
  package func stamp(_ version: UInt64) {}

  @inlinable
  package var isLoaded: Bool { true }

  @inlinable @inline(__always)
  static func from(_ box: any BoxedPublication) -> DelegateCall {
    unsafe unsafeDowncast(box, to: DelegateCall.self)
  }
}
