extension StatePublisher {
  /// Returns a publisher that follows whichever publisher the transform returns for the newest value.
  ///
  /// For example, the page of the selected item:
  ///
  /// ```swift
  /// let page = selection.switchingToLatest { id in pages[id] }
  /// ```
  ///
  /// While this publisher is `loaded`, the derived publisher follows the one that was made of its value: it has that
  /// one's state, with the origin of its data, and makes one transition for each of its transitions. While this
  /// publisher is `loading` or has an error, so does the derived one, with the followed publisher's value as the
  /// previous value. As soon as there is a new value, the derived publisher lets go of the one that it has followed;
  /// while this publisher is `unknown`, it follows none (5.22). It finishes when both this publisher and the one that
  /// it follows have (3.09). It has no ``staleAfter`` of its own; its data has the age of the followed publisher's
  /// data, and is stale if the data of either publisher is.
  ///
  /// Until a new publisher has a value, there is none, unless you keep the former one's: then that is the previous
  /// value, without an age.
  ///
  /// ```swift
  /// let calm = selection.switchingToLatest(keepingValue: true) { id in pages[id] }
  /// ```
  ///
  /// Everything else is as with ``map(label:on:buffering:_:)``: each transition is made by a thread that publishes to
  /// one of the two, and if several do so at once, one of them may carry on with the states of the others. The returned
  /// publisher holds this one and the one that it follows. **Keep it**.
  ///
  /// - Parameters:
  ///   - label: A name for logs and debuggers.
  ///   - keepingValue: Whether the derived publisher, until the publisher that it follows has a value, is `loading`, or
  ///     has that one's error, with the value that it had before as the previous value. It lets go of that value while
  ///     this publisher is `unknown`, and when the one that it follows is reset.
  ///   - transform: Called once for each loaded value, in order, and never twice at once. Also called for a previous
  ///     value while no publisher is followed. Runs while nothing is locked. It may return the same publisher again.
  /// - Returns: The derived publisher.
  public func switchingToLatest<P: StatePublisher>(
    label: String? = nil, keepingValue: Bool = false, _ transform: @escaping @Sendable (Value) -> P
  ) -> ReadOnlyPublisher<P.Value> {
    let target = Publisher<P.Value>(
      label: label, freshness: nil, PublisherExtras.forDerived(from: [_access.registry.extras], handsOn: true))
    let switching = Switching(target, keepingValue: keepingValue, transform)
    let (subscription, current) = _access.registry.follow(as: ReadOnlyPublisher<P.Value>.self) { _, box in
      switching.receive(.outer(Publication<Value>.from(box)))
    } finished: {
      switching.receive(.outerFinished)
    }
    switching.begin(with: Publication<Value>.from(current))
    return ReadOnlyPublisher(
      target,
      Derivation(
        from: [self] + [switching.inner].compactMap { $0 as (any StatePublisher)? }, ageSource: switching.inner,
        keepsValues: keepingValue, subscriptions: [subscription]))
  }
}

/// What a publisher that switches follows.
///
/// The outer publisher's subscription holds it until the derived publisher is released. The inner publisher's holds it
/// weakly, because it holds that publisher.
private final class Switching<Outer: Sendable, P: StatePublisher>: Sendable {
  enum Event: Sendable {
    case outer(Publication<Outer>)
    /// A state of the inner publisher that was made at that count.
    case inner(Publication<P.Value>, count: Int)
    case outerFinished
    case innerFinished(count: Int)

    /// The publication that causes the transition; nil if a publisher has finished.
    var cause: (any BoxedPublication)? {
      switch self {
      case .outer(let publication): publication
      case .inner(let publication, _): publication
      case .outerFinished, .innerFinished: nil
      }
    }
  }

  private struct Inner {
    let publisher: P
    let subscription: ScopedSubscription
    var publication: Publication<P.Value>
    var isFinished = false
  }

  private struct State {
    var outer: Publication<Outer>?
    var inner: Inner?
    /// How many inner publishers were followed.
    var count = 0
    var isOuterFinished = false
    /// The last publication with a value of any inner publisher, if that is kept.
    var kept: Publication<P.Value>?
  }

  private let target: Publisher<P.Value>
  private let keepsValue: Bool
  private let transform: @Sendable (Outer) -> P
  private let queue = DerivingQueue<Event>()
  // Changed by one thread at a time, the one that makes transitions; read by any.
  private let state = Locked(State())

  init(_ target: Publisher<P.Value>, keepingValue: Bool, _ transform: @escaping @Sendable (Outer) -> P) {
    self.target = target
    keepsValue = keepingValue
    self.transform = transform
  }

  /// The publisher that is followed.
  var inner: P? { state.withLock { $0.inner?.publisher } }

  func begin(with current: Publication<Outer>) {
    handle(.outer(current), isFirst: true)
    queue.begin { [weak self] in self?.handle($0) }
  }

  func receive(_ event: Event) { queue.receive(event) { handle($0) } }

  /// Makes the transition of one event, within the values that its cause carries; no other is being made.
  private func handle(_ event: Event, isFirst: Bool = false) {
    guard let cause = event.cause else { return makeTransition(of: event) }
    cause.provideCarried { makeTransition(of: event, isFirst: isFirst) }
  }

  private func makeTransition(of event: Event, isFirst: Bool = false) {
    let former = state.withLock { $0 }
    var new = former
    switch event {
    case .outer(let publication):
      new.outer = publication
      // A previous value counts only while no publisher is followed.
      if publication.phase == .loaded || former.inner == nil, let value = publication.state.value {
        new.count += 1
        new.inner = follow(transform(value), count: new.count)
      } else if publication.phase == .unknown {
        (new.inner, new.kept) = (nil, nil)
      }
    case .inner(let publication, let count):
      guard count == former.count, former.inner != nil else { return }
      new.inner?.publication = publication
      // What was reset is forgotten (5.02).
      if publication.phase == .unknown { new.kept = nil }
    case .outerFinished: new.isOuterFinished = true
    case .innerFinished(let count): if count == former.count { new.inner?.isFinished = true }
    }
    if keepsValue, let inner = new.inner?.publication, inner.state.value != nil { new.kept = inner }
    let publication = combination(of: new)
    let isFinished = new.isOuterFinished && new.inner?.isFinished ?? true
    // What was followed before is released outside the lock.
    state.withLock { swap(&$0, &new) }
    if let cause = event.cause {
      target.publish(publication, after: cause, isFirst: isFirst)
    } else if isFinished {
      target.finish()
    }
  }

  private func follow(_ publisher: P, count: Int) -> Inner {
    let (subscription, current) = publisher._access.registry.follow(as: ReadOnlyPublisher<P.Value>.self) {
      [weak self] _, box in
      self?.receive(.inner(Publication<P.Value>.from(box), count: count))
    } finished: { [weak self] in
      self?.receive(.innerFinished(count: count))
    }
    return Inner(
      publisher: publisher, subscription: subscription, publication: Publication<P.Value>.from(current))
  }

  private func combination(of state: State) -> Publication<P.Value> {
    let inner = state.inner?.publication
    let source = inner?.state.value == nil ? state.kept : inner
    let value = source?.state.value
    let combined: LoadState<P.Value> =
      switch (state.outer?.state, inner?.state) {
      case (.unknown, _), (nil, _): .unknown
      case (.loading, _): .loading(previous: value)
      case (.error(let error, _), _): .error(error, previous: value)
      case (.loaded, .error(let error, _)): .error(error, previous: value)
      case (.loaded, .loading): .loading(previous: value)
      case (.loaded, .unknown), (.loaded, nil): value == nil ? .unknown : .loading(previous: value)
      case (.loaded, .loaded(let value)): .loaded(value)
      }
    return Publication(combined, source: target.id, provenance: combined.value == nil ? nil : source?.provenance)
  }
}
