extension Publisher {
  /// Publishes that data was asked for. Previous data survives (5.01).
  @inlinable public func startLoading() {
    replaceCurrent { Publication(.loading(previous: $0.state.value), source: $1, freshSince: $0.freshSince) }
  }

  /// Publishes data.
  @inlinable public func updateData(_ value: Value) {
    registry.publish(Publication(.loaded(value), source: id, freshSince: freshness?.start()))
  }

  /// Publishes data that isn't new, from a cache for example.
  ///
  /// - Parameters:
  ///   - value: The data.
  ///   - age: How old the data is already. Counts towards ``staleAfter``.
  /// - Precondition: `age` isn't negative.
  @inlinable public func updateData(_ value: Value, age: Duration) {
    registry.publish(Publication(.loaded(value), source: id, freshSince: freshSince(age: age)))
  }

  /// Publishes a failure. Previous data survives (5.01).
  @inlinable public func setError(_ error: any Error) {
    replaceCurrent { Publication(.error(error, previous: $0.state.value), source: $1, freshSince: $0.freshSince) }
  }

  /// Returns to ``LoadState/unknown``, without previous data (5.02). For a logout, for example.
  @inlinable public func reset() {
    registry.publish(Publication<Value>(.unknown, source: id, freshSince: nil))
  }

  /// Publishes a state as it is. Loaded data counts as new.
  @inlinable public func setState(_ state: LoadState<Value>) {
    registry.publish(Publication(state, source: id, freshSince: freshSince(of: state)))
  }

  /// Publishes the current state once more, to everyone, with a new version. Its data keeps its age.
  @inlinable public func republish() {
    replaceCurrent(keepsLoad: true) { Publication($0.state, source: $1, freshSince: $0.freshSince) }
  }

  /// Reads, changes and publishes the state in one atomic step. Loaded data counts as new.
  ///
  /// - Parameter transform: Makes the new state. Runs on this thread while nothing is locked, and runs again if another thread
  ///   has published meanwhile, so keep it short and free of side effects.
  /// - Returns: What was published.
  /// - Throws: Whatever `transform` throws. Then nothing is published.
  /// - Precondition: `transform` doesn't change the same publisher, either directly or through another's transform.
  @discardableResult @inlinable
  public func update(_ transform: (LoadState<Value>) throws -> LoadState<Value>) rethrows -> Publication<Value> {
    while true {
      registry.beginUpdate()
      let old = current
      let new: LoadState<Value>
      do { new = try transform(old.state) } catch {
        registry.abandonUpdate()
        throw error
      }
      let publication = Publication(new, source: id, freshSince: freshSince(of: new))
      if registry.publish(publication, ifCurrentIs: old, endsUpdate: true) { return publication }
    }
  }
}

extension Publisher where Value: Equatable {
  /// Publishes data unless equal data is loaded already. Data that stays keeps its age.
  ///
  /// One atomic step, as ``update(_:)`` is. `==` runs on this thread while nothing is locked, and runs again if another thread
  /// has published meanwhile.
  ///
  /// - Returns: Whether the data was published.
  /// - Precondition: `==` doesn't change the same publisher.
  @discardableResult @inlinable
  public func updateData(ifChanged value: Value) -> Bool {
    while true {
      registry.beginUpdate()
      let old = current
      if case .loaded(let loaded) = old.state, loaded == value {
        registry.abandonUpdate()
        return false
      }
      let publication = Publication(.loaded(value), source: id, freshSince: freshness?.start())
      if registry.publish(publication, ifCurrentIs: old, endsUpdate: true) { return true }
    }
  }
}

extension Publisher {
  /// Publishes what follows from the current publication. Tries again if another thread has published meanwhile.
  @inlinable
  func replaceCurrent(keepsLoad: Bool = false, _ next: (Publication<Value>, PublisherID) -> Publication<Value>) {
    while true {
      let old = current
      if registry.publish(next(old, id), ifCurrentIs: old, keepsLoad: keepsLoad) { return }
    }
  }

  @inlinable
  func freshSince(of state: LoadState<Value>) -> Duration? {
    if freshness != nil, case .loaded = state { freshness?.start() } else { nil }
  }

  @inlinable
  func freshSince(age: Duration) -> Duration? {
    guard age >= .zero else { stopForMisuse("age is \(age), but data can't come from the future: give zero or more") }
    return freshness?.start(age: age)
  }
}
