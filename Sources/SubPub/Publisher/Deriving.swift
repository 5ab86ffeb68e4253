// A derived publisher is a publisher of its own. An immediate subscription at its source publishes to it, so it has the
// source's order, and each of its transitions happens on the thread that delivers the source's.

extension ReadOnlyPublisher {
  /// Returns a publisher of transformed values.
  ///
  /// It begins with the source's current state, and has one transition for each later one of the source: the same
  /// phase, the same error, and the transformed value or previous value (5.22). Data keeps its origin and its age. The
  /// versions are its own: unless the source is `unknown`, its current state becomes version 1.
  ///
  /// ```swift
  /// let count = publisher.map { $0.count }
  /// count.subscribe(screen) { screen, state in print(state) }
  /// ```
  ///
  /// The returned publisher holds this one, and not vice versa. **Keep it**: its subscriptions and sequences end when
  /// it is released.
  ///
  /// Each transition is made by the thread that publishes to the source, before the call returns, unless another thread
  /// is delivering for the source at that moment: then that one carries on with the new state (2.03). So with several
  /// publishing threads, the derived publisher may be behind for a moment. `map` returns however fast they publish:
  /// after a few states, it leaves the rest to them, or, if they stop, to a thread of Dispatch (5.22).
  ///
  /// The deliveries of a chain of derived publishers nest: each takes half a kilobyte of stack, and 3 KB in debug
  /// builds; ``combining(label:_:)`` takes twice as much. A chain of 100 maps fits into a stack of 512 KB, the smallest
  /// that threads usually have, and one of a thousand doesn't. The number of transitions doesn't matter (4.04).
  ///
  /// - Parameters:
  ///   - label: A name for logs and debuggers.
  ///   - transform: Called once for each transition of the source that has a value, in order, and never twice at once:
  ///     for the current state on the calling thread, and then on the threads that deliver for the source. Runs while
  ///     nothing is locked, so it may read, subscribe, and publish, even to the source (1.04, 4.01). The source holds
  ///     it until the returned publisher is released (3.05). If the object that keeps the returned publisher also keeps
  ///     the source, capture it weakly.
  /// - Returns: The derived publisher.
  @inlinable
  public func map<T: Sendable>(
    label: String? = nil, _ transform: @escaping @Sendable (Value) -> T
  ) -> ReadOnlyPublisher<T> {
    let target = Publisher<T>(label: label, freshness: publisher.freshness)
    let id = target.id
    let subscription = publisher.connect(as: T.self) { publication in
      Publication(publication.state.map(transform), source: id, provenance: publication.provenance)
    } publish: { publication in
      target.registry.publish(publication)
    }
    return ReadOnlyPublisher<T>(target, following: self, subscription)
  }

  /// Returns a publisher of transformed values, without transitions that change nothing.
  ///
  /// As ``map(label:_:)``, but if the transformed state equals the derived publisher's current one, with phase, error,
  /// and previous value, there is no transition. Two errors are equal if their type and description are. Even without a
  /// transition, the data is as old as the source's data: see ``age(of:)``. But if an equal state isn't published, the
  /// origin of the current publication stays what it was.
  ///
  /// - Parameters:
  ///   - label: A name for logs and debuggers.
  ///   - removingDuplicates: Whether equal states are left out. If this is false, each transition of the source makes
  ///     one.
  ///   - transform: Called as by ``map(label:_:)``. Like it, `==` runs while nothing is locked.
  /// - Returns: The derived publisher. Keep it.
  @inlinable
  public func map<T: Equatable & Sendable>(
    label: String? = nil, removingDuplicates: Bool, _ transform: @escaping @Sendable (Value) -> T
  ) -> ReadOnlyPublisher<T> {
    guard removingDuplicates else { return map(label: label, transform) }
    let target = Publisher<T>(label: label, freshness: publisher.freshness)
    let id = target.id
    let subscription = publisher.connect(as: T.self) { publication in
      Publication(publication.state.map(transform), source: id, provenance: publication.provenance)
    } publish: { publication in
      // Nobody else publishes here, so nothing comes between.
      if target.state != publication.state { target.registry.publish(publication) }
    }
    return ReadOnlyPublisher<T>(target, following: self, subscription)
  }
}

extension Publisher {
  /// Returns a publisher of transformed values.
  ///
  /// See ``ReadOnlyPublisher/map(label:_:)``. The returned publisher holds this one, and not vice versa (5.22). Keep
  /// it.
  ///
  /// - Parameters:
  ///   - label: A name for logs and debuggers.
  ///   - transform: Called once for each transition that has a value, in order, while nothing is locked.
  /// - Returns: The derived publisher.
  @inlinable
  public func map<T: Sendable>(
    label: String? = nil, _ transform: @escaping @Sendable (Value) -> T
  ) -> ReadOnlyPublisher<T> {
    readOnly.map(label: label, transform)
  }

  /// Returns a publisher of transformed values, without transitions that change nothing.
  ///
  /// See ``ReadOnlyPublisher/map(label:removingDuplicates:_:)``. The returned publisher holds this one, and not vice
  /// versa (5.22). Keep it.
  ///
  /// - Parameters:
  ///   - label: A name for logs and debuggers.
  ///   - removingDuplicates: Whether equal states are left out.
  ///   - transform: Called once for each transition that has a value, in order, while nothing is locked.
  /// - Returns: The derived publisher.
  @inlinable
  public func map<T: Equatable & Sendable>(
    label: String? = nil, removingDuplicates: Bool, _ transform: @escaping @Sendable (Value) -> T
  ) -> ReadOnlyPublisher<T> {
    readOnly.map(label: label, removingDuplicates: removingDuplicates, transform)
  }
}
