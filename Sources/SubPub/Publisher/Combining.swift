/// Returns a publisher of the values of several publishers, as a tuple.
///
/// ```swift
/// let (title, count) = (publisher.map { $0.first?.title ?? "" }, publisher.map { $0.count })
/// let both = combining(label: "title and count", title, count)
/// both.subscribe(screen) { screen, state in print(state) }  // loaded(("one", 2))
/// ```
///
/// | if | the combined state is |
/// |---|---|
/// | a source has an error | `error`, with the error of the first such source |
/// | otherwise, a source is `unknown` | `unknown` |
/// | otherwise, a source is loading | `loading` |
/// | all sources are loaded | `loaded` |
///
/// Where all sources have a value or a previous value, the tuple of these is the value, or the previous value.
///
/// The combined publisher begins with the current states of its sources. After that, each transition of a source makes
/// one transition, which replaces exactly this source's part; the other parts are as in the transition before. So every
/// combined state consists of states that the sources had at one moment, if their transitions happened in the order of
/// the combined publisher's (5.22). If one publisher is the source of several parts, directly or through `map`, then
/// each of its transitions changes them one after the other.
///
/// Each transition is made by a thread that publishes to one of the sources, as with
/// ``ReadOnlyPublisher/map(label:_:)``. If several do, one of them may carry on with the states of the others.
///
/// The data of a combined publisher has the first of these origins that any part has: `edited`, `cached`, `published`,
/// `loaded`. It has no age, because the clocks of its sources may differ, but it is stale if a part is: see
/// ``ReadOnlyPublisher/isStale``.
///
/// The returned publisher holds its sources, and they don't hold it. **Keep it**: its subscriptions and sequences end
/// when it is released.
///
/// - Parameters:
///   - label: A name for logs and debuggers.
///   - publisher: The sources. A publisher may occur more than once.
/// - Returns: The combined publisher.
/// - Complexity: O(*n*) in the number of sources, for each transition.
public func combining<each Value: Sendable>(
  label: String? = nil, _ publisher: repeat ReadOnlyPublisher<each Value>
) -> ReadOnlyPublisher<(repeat each Value)> {
  var sources: [any DerivationSource] = []
  for source in repeat each publisher { sources.append(source) }
  // A publisher of the parts gives them an order, which the combined publisher follows.
  let parts = Publisher<Parts>()
  parts.updateData(Parts(publications: Array(repeating: nil, count: sources.count)))
  var subscriptions: [ScopedSubscription] = []
  for source in repeat each publisher {
    let index = subscriptions.count
    let (subscription, current) = source.publisher.registry.follow(
      as: ReadOnlyPublisher<(repeat each Value)>.self
    ) { _, new in parts.replace(index, with: new) }
    parts.replace(index, with: current, ifMissing: true)
    subscriptions.append(subscription)
  }

  let target = Publisher<(repeat each Value)>(label: label, freshness: nil)
  let id = target.id
  // Comes last, so that it begins with all parts.
  let subscription = parts.connect(as: (repeat each Value).self) { publication in
    combination(of: publication.state.value?.publications ?? [], source: id)
  } publish: { publication in
    target.registry.publish(publication)
  }
  subscriptions.append(subscription)
  return ReadOnlyPublisher(
    target, derivation: Derivation(from: sources, ageSource: nil, subscriptions: subscriptions))
}

/// The current publications of all sources, in the order of the arguments; nil before the first one has arrived.
private struct Parts: Sendable {
  var publications: [(any BoxedPublication)?]
}

extension Publisher<Parts> {
  /// Replaces one part, in one transition.
  ///
  /// A subscription's deliveries never overlap, so only transitions of other parts can come between.
  fileprivate func replace(_ index: Int, with new: any BoxedPublication, ifMissing: Bool = false) {
    while true {
      let old = current
      guard var parts = old.state.value else { return }
      // A delivery may have come first, with a newer state.
      if ifMissing, parts.publications[index] != nil { return }
      parts.publications[index] = new
      let replaced = Publication(.loaded(parts), source: id, provenance: nil)
      if registry.publish(replaced, ifCurrentIs: old, keepsData: false) { return }
    }
  }
}

/// Makes the publication of a combined publisher.
private func combination<each Value: Sendable>(
  of parts: [(any BoxedPublication)?], source: PublisherID
) -> Publication<(repeat each Value)> {
  var index = 0
  func next<Part: Sendable>(_: Part.Type) -> Publication<Part> {
    defer { index += 1 }
    guard let part = parts[index] else { stopForMisuse("part \(index) of \(source) is missing") }
    return Publication<Part>.from(part)
  }
  let publications = (repeat next((each Value).self))

  var (isUnknown, isLoading) = (false, false)
  var (error, origin): ((any Error)?, DataOrigin) = (nil, .loaded)
  for publication in repeat each publications {
    switch publication.state {
    case .unknown: isUnknown = true
    case .loading: isLoading = true
    case .loaded: break
    case .error(let reason, _): error = error ?? reason
    }
    if let part = publication.origin, part.rank < origin.rank { origin = part }
  }
  // Throwing is the only way out of a pack expansion.
  func value<Part: Sendable>(of publication: Publication<Part>) throws -> Part {
    guard let value = publication.state.value else { throw NotLoaded(phase: publication.phase) }
    return value
  }
  let values = try? (repeat value(of: each publications))
  let provenance = values.map { _ in Provenance(origin, freshSince: nil) }

  if let error { return Publication(.error(error, previous: values), source: source, provenance: provenance) }
  if isUnknown { return Publication(.unknown, source: source, provenance: nil) }
  guard let values, !isLoading else {
    return Publication(.loading(previous: values), source: source, provenance: provenance)
  }
  return Publication(.loaded(values), source: source, provenance: provenance)
}

extension DataOrigin {
  /// The order in which the origins of parts decide about the origin of their combination.
  fileprivate var rank: Int {
    switch self {
    case .edited: 0
    case .cached: 1
    case .published: 2
    case .loaded: 3
    }
  }
}
