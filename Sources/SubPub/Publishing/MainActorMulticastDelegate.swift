/// The same as `MulticastDelegate`, for protocols of the main actor, which needn't be `Sendable`; delivered there.
public final class MainActorMulticastDelegate<Delegate>: Sendable {
  @usableFromInline let registry: PublisherRegistry

  /// A group without delegates.
  ///
  /// - Parameter label: A name for logs and debuggers.
  public init(label: String? = nil) { registry = PublisherRegistry(PublisherID(label: label), initial: nil) }

  deinit { registry.end() }

  /// Adds an object that conforms to the protocol; held weakly (rule 2.05). It gets every call from now on. A delegate
  /// that is no class instance is a programmer's error.
  @MainActor @discardableResult @inlinable
  public func add(_ delegate: Delegate, ifDuplicate: DuplicatePolicy = .ignore) -> Subscription {
    registry.subscribe(
      Enrolment(
        classInstance(of: delegate, as: "delegate"), as: .delegateOnMainActor, on: .main, buffering: .unbounded,
        ifDuplicate: ifDuplicate
      ) { [delegate = UnownedExistential(delegate)] _, state in
        delegate.use { DelegateCall<Delegate>.from(state).body($0) }
      })
  }

  /// Removes the object, and says what it found (rule 3.02).
  @MainActor @discardableResult @inlinable
  public func remove(_ delegate: Delegate) -> CancelOutcome {
    registry.unsubscribe(classInstance(of: delegate, as: "delegate"))
  }

  /// Calls every delegate on the main actor. Callable from any thread.
  @inlinable
  public func call(_ body: @escaping @MainActor @Sendable (Delegate) -> Void) {
    // Isolated to the main actor, where this lane is drained; a closure of it is called like any other.
    registry.publish(DelegateCall(unsafe unsafeBitCast(body, to: (@Sendable (Delegate) -> Void).self)))
  }

  /// Returns when every delegate of this moment has got every call of this moment (rule 3.07).
  public func drain() async { await registry.drain() }

  /// How many delegates live. Looks at each of them.
  ///
  /// From another thread than the main actor's it counts a delegate that is being released at that moment, and then
  /// holds it until the main actor has time to release it: it never dies anywhere else (rule 2.05).
  public var count: Int { registry.subscriptions.count }
}

extension MainActorMulticastDelegate: CustomStringConvertible {
  /// The protocol, the label, and how many delegates live.
  public var description: String {
    "MainActorMulticastDelegate<\(Delegate.self)>(\(registry.source), delegates: \(count))"
  }
}
