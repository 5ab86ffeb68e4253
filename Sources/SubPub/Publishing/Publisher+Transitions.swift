extension Publisher {
  /// Says that data was asked for. Previous data stays at hand (rule 5.01).
  @inlinable public func startLoading() {
    change { Publication(.loading(previous: $0.state.value), source: $1, freshSince: $0.freshSince) }
  }

  /// Publishes data.
  @inlinable public func updateData(_ value: Value) {
    registry.publish(Publication(.loaded(value), source: id, freshSince: freshness?.start()))
  }

  /// Publishes data that isn't new.
  ///
  /// - Parameters:
  ///   - value: The data.
  ///   - age: How old it is already, for data from a cache; counts towards `staleAfter`. Not negative.
  @inlinable public func updateData(_ value: Value, age: Duration) {
    registry.publish(Publication(.loaded(value), source: id, freshSince: freshSince(age: age)))
  }

  /// Publishes a failure. Previous data stays at hand (rule 5.01).
  @inlinable public func setError(_ error: any Error) {
    change { Publication(.error(error, previous: $0.state.value), source: $1, freshSince: $0.freshSince) }
  }

  /// Back to `unknown`, without previous data (rule 5.02): for a logout, and the like.
  @inlinable public func reset() {
    registry.publish(Publication<Value>(.unknown, source: id, freshSince: nil))
  }

  /// Publishes that state as it is. Data in it counts as new.
  @inlinable public func setState(_ state: LoadState<Value>) {
    registry.publish(Publication(state, source: id, freshSince: freshSince(of: state)))
  }

  /// Publishes the current state once more, to everyone, as a new version. Its age stays what it is.
  @inlinable public func publish() {
    change(keepsLoad: true) { Publication($0.state, source: $1, freshSince: $0.freshSince) }
  }

  /// Reads, changes and publishes as one atomic step, and returns what was published. Loaded data counts as new.
  ///
  /// `transform` runs on this thread while nothing is locked, and may run again when another thread came first: keep it
  /// short and without effects. If it throws, nothing is published and the error is passed on. A transform that changes
  /// the same publisher, directly or through another's transform, is a programmer's error and stops with a message.
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
  /// Publishes data unless exactly that data is loaded already; says whether it did. Data that stays keeps its age.
  ///
  /// Atomic, as `update` is. An `==` that changes the same publisher is a programmer's error and stops with a message.
  ///
  /// `==` runs on this thread while nothing is locked, and may run again when another thread came first.
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
  /// Publishes what follows from the current state; again, when another thread came first.
  @inlinable
  func change(keepsLoad: Bool = false, _ next: (Publication<Value>, PublisherID) -> Publication<Value>) {
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
    guard age >= .zero else { stopForMisuse("age is \(age): data can't come from the future; give zero or more") }
    return freshness?.start(age: age)
  }
}
