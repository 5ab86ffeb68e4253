extension Publisher {
  /// Publishes ``LoadState/loading(previous:)``, with the current data as previous data (5.01).
  ///
  /// A manager's pending edits are dropped, and aren't part of that data (5.20).
  @inlinable public func startLoading() {
    replaceCurrent { .loading(previous: $0.value) }
  }

  /// Publishes ``LoadState/loaded(_:)``.
  ///
  /// - Parameter value: The data, which counts as new.
  @inlinable public func updateData(_ value: Value) {
    registry.publish(
      Publication(.loaded(value), source: id, provenance: Provenance(.published, freshSince: freshness?.start())))
  }

  /// Publishes ``LoadState/loaded(_:)`` with data that isn't new, such as data from a cache.
  ///
  /// - Parameters:
  ///   - value: The data.
  ///   - age: How old the data already is. Counts towards ``StatePublisher/staleAfter`` (5.06).
  /// - Precondition: `age` isn't negative.
  @inlinable public func updateData(_ value: Value, age: Duration) {
    registry.publish(
      Publication(.loaded(value), source: id, provenance: Provenance(.published, freshSince: freshSince(age: age))))
  }

  /// Publishes ``LoadState/error(_:previous:)``, with the current data as previous data (5.01).
  ///
  /// A manager's pending edits are dropped, and aren't part of that data (5.20).
  ///
  /// - Parameter error: The reason for the failure.
  @inlinable public func setError(_ error: any Error) {
    replaceCurrent { .error(error, previous: $0.value) }
  }

  /// Publishes ``LoadState/unknown`` and forgets all data, for example at logout (5.02).
  @inlinable public func reset() {
    registry.publish(Publication<Value>(.unknown, source: id, provenance: nil))
  }

  /// Publishes a state as it is.
  ///
  /// A manager's pending edits are dropped (5.20), but data that you read from ``StatePublisher/state`` while they were
  /// pending includes them.
  ///
  /// - Parameter state: The new state. If it is `loaded`, its data counts as new. Otherwise, its previous data has the
  ///   age and the origin of the current data, and counts as new if there is none (5.06).
  @inlinable public func setState(_ state: LoadState<Value>) {
    guard state.hasPreviousData else {
      return registry.publish(Publication(state, source: id, provenance: provenance(of: state, after: nil)))
    }
    while true {
      let (old, base) = currentAndBase
      let new = Publication(state, source: id, provenance: provenance(of: state, after: base.provenance))
      if registry.publish(new, ifCurrentIs: old, keepsData: base.provenance != nil) { return }
    }
  }

  /// Publishes a state of another process, whose data already has an origin and an age, and may be inherited.
  package func setState(
    _ state: LoadState<Value>, origin: DataOrigin?, age: Duration?, id: PublicationID?, isDataInherited: Bool = false
  ) {
    let provenance = origin.map {
      Provenance($0, freshSince: age.flatMap { freshness?.start(age: $0) }, isForeign: true)
    }
    let publication = Publication(state, source: self.id, provenance: provenance)
    if let id { publication.carry(Carried(values: [], id: id, isDataInherited: isDataInherited)) }
    registry.publish(publication)
  }

  /// Publishes the current state once more, with a new version.
  ///
  /// Every subscriber receives it. Its data keeps its age, and an active load, a stream's run, and pending edits go on
  /// (5.04).
  @inlinable public func republish() {
    replaceCurrent(repeats: true) { $0 }
  }

  /// Reads, changes, and publishes the state in one atomic step.
  ///
  /// If the new state is `loaded`, its data counts as new. Otherwise, its previous data has the age and the origin of
  /// the current data, and counts as new if there is none (5.06).
  ///
  /// If other threads never stop publishing, the call may try again without end, as ``updateData(ifChanged:)`` may: it
  /// waits for nobody, and nobody waits for it.
  ///
  /// - Parameter transform: Makes the new state from the current one, whose data doesn't include a manager's pending
  ///   edits; these are dropped (5.20). Runs on the calling thread while nothing is locked, and again if another thread
  ///   has published in the meantime, so keep it short and free of side effects.
  /// - Returns: The publication of the new state. Its version is 0 if it was dropped because the publisher is finished
  ///   (3.09).
  /// - Throws: Rethrows the error that `transform` throws; then nothing is published.
  /// - Precondition: `transform` doesn't change the same publisher, neither directly nor through the transform of
  ///   another one.
  @discardableResult @inlinable
  public func update(_ transform: (LoadState<Value>) throws -> LoadState<Value>) rethrows -> Publication<Value> {
    while true {
      registry.beginUpdate()
      let (old, base) = currentAndBase
      let new: LoadState<Value>
      do { new = try transform(base.state) } catch {
        registry.abandonUpdate()
        throw error
      }
      let publication = Publication(new, source: id, provenance: provenance(of: new, after: base.provenance))
      let keepsData = new.hasPreviousData && base.provenance != nil
      if registry.publish(publication, ifCurrentIs: old, endsUpdate: true, keepsData: keepsData) {
        return publication
      }
    }
  }
}

extension Publisher where Value: Equatable {
  /// Publishes data unless equal data is already loaded; a manager's pending edits don't count as loaded (5.20).
  ///
  /// Comparing and publishing is one atomic step, as with ``update(_:)``. `==` runs on the calling thread while nothing
  /// is locked, and runs again if another thread has published in the meantime. If nothing is published, the loaded
  /// data keeps its age.
  ///
  /// - Parameter value: The data, which counts as new if it is published.
  /// - Returns: Whether the data was published; false also if the publisher is finished (3.09).
  /// - Precondition: `==` doesn't change the same publisher.
  @discardableResult @inlinable
  public func updateData(ifChanged value: Value) -> Bool {
    while true {
      registry.beginUpdate()
      let (old, base) = currentAndBase
      if case .loaded(let loaded) = base.state, loaded == value {
        registry.abandonUpdate()
        return false
      }
      let publication = Publication(
        .loaded(value), source: id, provenance: Provenance(.published, freshSince: freshness?.start()))
      if registry.publish(publication, ifCurrentIs: old, endsUpdate: true, keepsData: false) {
        // It has none if it was dropped because the publisher is finished (3.09).
        return publication.version > 0
      }
    }
  }
}

extension Publisher {
  /// The current publication, and the one that transitions by hand start from.
  ///
  /// Both are the same, unless the publisher's owner shows data that such transitions mustn't build upon.
  @inlinable
  var currentAndBase: (current: Publication<Value>, base: Publication<Value>) {
    let (current, base) = registry.currentAndBase
    guard let current else { stopForMisuse("\(id) is read after its end") }
    return (.from(current), .from(base ?? current))
  }

  /// Publishes the successor of the current state, with its data.
  ///
  /// Tries again if another thread has published in the meantime.
  @inlinable
  func replaceCurrent(repeats: Bool = false, _ next: (LoadState<Value>) -> LoadState<Value>) {
    while true {
      let (current, base) = currentAndBase
      let old = repeats ? current : base
      let new = Publication(next(old.state), source: id, provenance: old.provenance)
      if registry.publish(new, ifCurrentIs: current, keepsData: true, repeats: repeats) { return }
    }
  }

  /// Returns the provenance of the data in a state that is published by hand, given that of the data before it.
  @inlinable
  func provenance(of state: LoadState<Value>, after old: Provenance?) -> Provenance? {
    if state.hasPreviousData, let old { return old }
    return state.value == nil ? nil : Provenance(.published, freshSince: freshness?.start())
  }

  @inlinable
  func freshSince(age: Duration) -> Duration? {
    guard age >= .zero else { stopForMisuse("age is \(age), but data can't come from the future: give zero or more") }
    return freshness?.start(age: age)
  }
}

extension LoadState {
  /// Whether the state has data, but isn't `loaded`.
  @usableFromInline
  var hasPreviousData: Bool { phase != .loaded && value != nil }
}
