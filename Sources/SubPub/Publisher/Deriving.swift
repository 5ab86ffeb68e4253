// A derived publisher is a publisher in its own right. An immediate subscription to its source publishes to it, so its
// transitions are in the source's order, and each happens on the thread that delivers the source's transition.

extension StatePublisher {
  /// Returns a publisher of transformed values.
  ///
  /// It begins with the source's current state, and makes one transition for each later one of the source, with the
  /// same phase, the same error, and the transformed value or previous value (5.22). Data keeps its origin and its age.
  /// The derived publisher has versions of its own: unless the source is `unknown`, the source's current state becomes
  /// version 1. It propagates what the source propagates (2.10), but has neither its history nor its instrumentation.
  ///
  /// ```swift
  /// let count = publisher.map { $0.count }
  /// count.subscribe(screen) { screen, state in print(state) }
  /// ```
  ///
  /// The returned publisher holds this one, and not vice versa. **Keep it**: its subscriptions and sequences end when
  /// it is released. It finishes when this publisher does (3.09).
  ///
  /// Each transition is made by the thread that publishes to the source, before the call returns, unless another thread
  /// is delivering for the source at that moment: then that thread carries on with the new state (2.03). So if several
  /// threads publish, the derived publisher may lag behind briefly. `map` returns however fast they publish: after a
  /// few states, it leaves the rest to them, or, if they stop, to a thread of Dispatch (5.22).
  ///
  /// The deliveries of a chain of derived publishers nest: each takes half a kilobyte of stack, and 3 KB in debug
  /// builds; `combining` takes twice as much. A chain of 100 maps fits into a stack of 512 KB, the smallest
  /// that threads usually have; a chain of a thousand doesn't. The number of transitions doesn't matter (4.04).
  ///
  /// If the transform takes long, give it a context of its own. The derived publisher then begins as `unknown`, and
  /// makes its transitions there, the one for the source's current state included. With a policy that skips states,
  /// such as ``BufferingPolicy/latest``, it makes none for those.
  ///
  /// ```swift
  /// let summary = publisher.map(on: .background, buffering: .latest) { list in list.count }
  /// ```
  ///
  /// - Parameters:
  ///   - label: A name for logs and debuggers.
  ///   - context: Where the transform runs, and the transitions are made.
  ///   - buffering: How many states of the source may wait for the transform.
  ///   - transform: Called once for each transition of the source that has a value and isn't skipped, in order, and
  ///     never twice at once; unless there is a context, for the current state on the calling thread, and then on the
  ///     threads that deliver for the source. Runs while nothing is locked, so it may read, subscribe, and publish,
  ///     even to the source (1.04, 4.01). The source holds it until the returned publisher is released (3.05). If the
  ///     object that keeps the returned publisher also keeps the source, capture that object weakly.
  /// - Returns: The derived publisher.
  @inlinable
  public func map<T: Sendable>(
    label: String? = nil, on context: DeliveryContext = .immediate, buffering: BufferingPolicy = .unbounded,
    _ transform: @escaping @Sendable (Value) -> T
  ) -> ReadOnlyPublisher<T> {
    derive(label: label, on: context, buffering) { publication, target in
      Publication(publication.state.map(transform), source: target.id, provenance: publication.provenance)
    }
  }

  /// Returns a publisher of transformed values, without transitions that change nothing.
  ///
  /// As ``map(label:on:buffering:_:)``, but there is no transition if the transformed state equals the derived
  /// publisher's current one, including its phase, error, and previous value (5.22). Two errors are equal if their
  /// types and their descriptions are. Even without a transition, the data is as old as the source's data: see
  /// ``age(of:)``. But the origin of the current publication then stays what it was.
  ///
  /// - Parameters:
  ///   - label: A name for logs and debuggers.
  ///   - removingDuplicates: Whether equal states are left out. If false, each transition of the source makes one.
  ///   - context: Where the transform runs, and the transitions are made.
  ///   - buffering: How many states of the source may wait for the transform.
  ///   - transform: Called as by ``map(label:on:buffering:_:)``. Like it, `==` runs while nothing is locked.
  /// - Returns: The derived publisher. Keep it.
  @inlinable
  public func map<T: Equatable & Sendable>(
    label: String? = nil, removingDuplicates: Bool, on context: DeliveryContext = .immediate,
    buffering: BufferingPolicy = .unbounded, _ transform: @escaping @Sendable (Value) -> T
  ) -> ReadOnlyPublisher<T> {
    guard removingDuplicates else { return map(label: label, on: context, buffering: buffering, transform) }
    return derive(label: label, on: context, buffering) { publication, target in
      let state = publication.state.map(transform)
      if target.state == state { return nil }
      return Publication(state, source: target.id, provenance: publication.provenance)
    }
  }

  /// Returns a publisher of those transformed values that aren't nil.
  ///
  /// As ``map(label:on:buffering:_:)``, but where the transform returns nil, the derived publisher keeps its last
  /// value. New data of the source then makes no transition, unless the derived publisher is `loading` or has an error:
  /// the load or error then ends with its last value, or as `unknown` if it has none. During a load of the source, and
  /// after an error, the last value is the previous value (5.22).
  ///
  /// - Parameters:
  ///   - label: A name for logs and debuggers.
  ///   - context: Where the transform runs, and the transitions are made.
  ///   - buffering: How many states of the source may wait for the transform.
  ///   - transform: Called as by ``map(label:on:buffering:_:)``.
  /// - Returns: The derived publisher. Keep it.
  @inlinable
  public func compactMap<T: Sendable>(
    label: String? = nil, on context: DeliveryContext = .immediate, buffering: BufferingPolicy = .unbounded,
    _ transform: @escaping @Sendable (Value) -> T?
  ) -> ReadOnlyPublisher<T> {
    derive(label: label, on: context, buffering, keepsValues: true) { publication, target in
      let (state, last) = (publication.state, target.current)
      let new = state.value.flatMap(transform)
      let value = new ?? (state.phase == .unknown ? nil : last.state.value)
      let next: LoadState<T> =
        switch state {
        case .unknown: .unknown
        case .loading: .loading(previous: value)
        case .loaded: value.map { .loaded($0) } ?? .unknown
        case .error(let error, _): .error(error, previous: value)
        }
      // New data that is nil leaves a value, or the lack of one, as it was.
      if new == nil, state.phase == .loaded, next.phase == last.phase { return nil }
      let provenance = value == nil ? nil : new == nil ? last.provenance : publication.provenance
      return Publication(next, source: target.id, provenance: provenance)
    }
  }

  /// Returns a publisher of transformed states.
  ///
  /// As ``map(label:on:buffering:_:)``, but the transform makes the whole state: it can turn an error into data, or
  /// data that makes no sense into an error. If it throws, the state is `error`, with the last value as the previous
  /// value (5.22).
  ///
  /// - Parameters:
  ///   - label: A name for logs and debuggers.
  ///   - context: Where the transform runs, and the transitions are made.
  ///   - buffering: How many states of the source may wait for the transform.
  ///   - transform: Called once for each transition of the source, in order, and never twice at once; otherwise as by
  ///     ``map(label:on:buffering:_:)``.
  /// - Returns: The derived publisher. Keep it.
  @inlinable
  public func mapState<T: Sendable>(
    label: String? = nil, on context: DeliveryContext = .immediate, buffering: BufferingPolicy = .unbounded,
    _ transform: @escaping @Sendable (LoadState<Value>) throws -> LoadState<T>
  ) -> ReadOnlyPublisher<T> {
    derive(label: label, on: context, buffering, keepsValues: true) { publication, target in
      do {
        let state = try transform(publication.state)
        let provenance: Provenance? =
          if state.value == nil {
            nil
          } else if publication.state.value != nil {
            publication.provenance
          } else {
            // Data that was made of none is new.
            Provenance(.published, freshSince: target.freshness?.start())
          }
        return Publication(state, source: target.id, provenance: provenance)
      } catch {
        let last = target.current
        return Publication(
          .error(error, previous: last.state.value), source: target.id, provenance: last.provenance)
      }
    }
  }
}
