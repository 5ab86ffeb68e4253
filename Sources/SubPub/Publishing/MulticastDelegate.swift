/// Many delegates for any protocol: a call goes to each of them, on the context that it chose.
///
/// Keeps the rules of a publisher with "call" for "transition", unbounded and without a replay: all delegates get the
/// same calls in the same order, in the order of joining within a lane. Optional methods are methods with a default
/// implementation.
public final class MulticastDelegate<Delegate: Sendable>: Sendable {
  @usableFromInline let registry: PublisherRegistry

  /// A group without delegates.
  ///
  /// - Parameter label: A name for logs and debuggers.
  public init(label: String? = nil) { registry = PublisherRegistry(PublisherID(label: label), initial: nil) }

  deinit { registry.end() }

  /// Adds an object that conforms to the protocol; held weakly (rule 2.05). It gets every call from now on. A delegate
  /// that is no class instance is a programmer's error.
  @discardableResult @inlinable
  public func add(_ delegate: Delegate, on delivery: Delivery, ifDuplicate: DuplicatePolicy = .ignore) -> Subscription {
    registry.subscribe(
      Enrolment(
        classInstance(of: delegate, as: "delegate"), as: .delegate, on: delivery, buffering: .unbounded,
        ifDuplicate: ifDuplicate
      ) { [delegate = UnownedExistential(delegate)] _, state in
        delegate.use(DelegateCall<Delegate>.from(state).body)
      })
  }

  /// Removes the object, and says what it found (rule 3.02). May be called from its `deinit`.
  @discardableResult @inlinable
  public func remove(_ delegate: Delegate) -> CancelOutcome {
    registry.unsubscribe(classInstance(of: delegate, as: "delegate"))
  }

  /// Calls every delegate. `body` runs once for each, on its context, and is released after the last.
  @inlinable
  public func call(_ body: @escaping @Sendable (Delegate) -> Void) { registry.publish(DelegateCall(body)) }

  /// Returns when every delegate of this moment has got every call of this moment (rule 3.07).
  public func drain() async { await registry.drain() }

  /// How many delegates live. Looks at each of them.
  public var count: Int { registry.subscriptions.count }
}

extension MulticastDelegate: CustomStringConvertible {
  /// The protocol, the label, and how many delegates live.
  public var description: String { "MulticastDelegate<\(Delegate.self)>(\(registry.source), delegates: \(count))" }
}
