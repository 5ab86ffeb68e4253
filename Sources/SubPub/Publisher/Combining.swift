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
/// If every source has a value or a previous value, their tuple is the combined value or previous value.
///
/// The combined publisher begins with the current states of its sources. After that, each transition of a source makes
/// one transition, which replaces exactly this source's part and leaves the others as they were. So if you replay the
/// sources' transitions in the order of the combined publisher's, every combined state consists of states that the
/// sources had at one moment (5.22). If one publisher is the source of several parts, directly or through `map`, each
/// of its transitions changes these parts one after the other. The combined publisher finishes when all of its sources
/// have; without sources, at once (3.09).
///
/// Each transition is made by a thread that publishes to one of the sources, as with ``StatePublisher/map(label:_:)``.
/// If several threads do so at once, one of them may carry on with the states of the others.
///
/// The origin of a combined publisher's data is the first of these that any part has: `edited`, `cached`, `published`,
/// `loaded`. It has no age, because the clocks of its sources may differ, but it is stale if a part is: see
/// ``StatePublisher/isStale``.
///
/// The returned publisher holds its sources, and they don't hold it. **Keep it**: its subscriptions and sequences end
/// when it is released.
///
/// - Parameters:
///   - label: A name for logs and debuggers.
///   - publisher: The sources. A publisher may occur more than once.
/// - Returns: The combined publisher.
/// - Complexity: O(*n*) in the number of sources, for each transition.
public func combining<each P: StatePublisher>(
  label: String? = nil, _ publisher: repeat each P
) -> ReadOnlyPublisher<(repeat (each P).Value)> {
  var sources: [any StatePublisher] = []
  for source in repeat each publisher { sources.append(source) }
  return combining(sources, label: label) { parts in
    var index = 0
    // Throwing is the only way out of a pack expansion.
    func next<Part: Sendable>(_: Part.Type) throws -> Part {
      defer { index += 1 }
      return try value(of: parts[index])
    }
    return (repeat try next((each P).Value.self))
  }
}

/// Returns a publisher of the values of any number of publishers of one type, as an array.
///
/// Everything else is as with several arguments. An empty array makes a publisher that is `loaded([])`
/// (5.22).
///
/// ```swift
/// let all = combining(label: "all sensors", sensors)
/// ```
///
/// - Parameters:
///   - label: A name for logs and debuggers.
///   - publishers: The sources. A publisher may occur more than once.
/// - Returns: The combined publisher, whose values are in the order of the sources. Keep it.
/// - Complexity: O(*n*) in the number of sources, for each transition.
public func combining<P: StatePublisher>(label: String? = nil, _ publishers: [P]) -> ReadOnlyPublisher<[P.Value]> {
  combining(publishers, label: label) { parts in try parts.map { try value(of: $0) } }
}

/// Combines the current publications of the sources; `combine` throws if one has no value.
private func combining<T: Sendable>(
  _ sources: [any StatePublisher], label: String?, _ combine: @escaping @Sendable ([any AnyPublication]) throws -> T
) -> ReadOnlyPublisher<T> {
  let extras = PublisherExtras.forDerived(from: sources.map(\.extras))
  let parts = CombinedParts(count: sources.count, extras)
  // One more than there are sources, so that it isn't finished before all parts are there.
  let unfinished = Locked(sources.count + 1)
  let finishOne: @Sendable () -> Void = {
    let isLast = unfinished.withLock { count in
      count -= 1
      return count == 0
    }
    if isLast { parts.publisher.finish() }
  }
  var subscriptions = sources.enumerated().map { index, source in
    source.contribute(to: parts, at: index, of: ReadOnlyPublisher<T>.self, finished: finishOne)
  }
  parts.begin()
  let target = Publisher<T>(label: label, freshness: nil, extras)
  let id = target.id
  // Comes last, so that it begins with all parts.
  subscriptions.append(
    parts.publisher._access.connect(to: target) { publication in
      let parts = publication.state.value?.compactMap { $0 } ?? []
      return combination(of: parts, try? combine(parts), source: id)
    })
  finishOne()
  return ReadOnlyPublisher(target, Derivation(from: sources, ageSource: nil, subscriptions: subscriptions))
}

/// The current publications of all sources, in the order of the arguments.
///
/// A publisher of them gives them an order, which the combined publisher follows. Each of its transitions copies all
/// parts, so the first ones are collected and published together.
final class CombinedParts: Sendable {
  typealias All = [(any AnyPublication)?]

  private struct Collected {
    /// Nil before the first publication of a source has arrived.
    var all: All
    /// The part that has arrived last.
    var last: (any BoxedPublication)?
  }

  let publisher: Publisher<All>
  /// The parts that aren't published yet; nil once they are.
  private let collected: Locked<Collected?>

  init(count: Int, _ extras: PublisherExtras?) {
    publisher = Publisher(label: nil, freshness: nil, extras)
    collected = Locked(Collected(all: Array(repeating: nil, count: count)))
  }

  /// Replaces one part, in one transition.
  ///
  /// A subscription's deliveries never overlap, so only transitions of other parts can come between.
  func replace<Part>(_ index: Int, with new: Publication<Part>, ifMissing: Bool = false) {
    if collect(new, at: index, ifMissing: ifMissing) { return }
    while true {
      let old = publisher.current
      guard var parts = old.state.value else { return }
      // A delivery may have come first, with a newer state.
      if ifMissing, parts[index] != nil { return }
      parts[index] = new
      if publisher.registry.publish(publication(of: parts, after: new), ifCurrentIs: old, keepsData: false) { return }
    }
  }

  /// Returns false if the parts are published already.
  private func collect<Part>(_ new: Publication<Part>, at index: Int, ifMissing: Bool) -> Bool {
    // With those that were there before, which are released outside the lock.
    let (isCollected, _, _) = collected.withLock { collected in
      guard collected != nil else { return (false, nil, nil) as (Bool, (any AnyPublication)?, (any BoxedPublication)?) }
      let former = (collected?.all[index], collected?.last)
      if ifMissing, former.0 != nil { return (true, nil, nil) }
      collected?.all[index] = new
      collected?.last = new
      return (true, former.0 ?? nil, former.1)
    }
    return isCollected
  }

  /// Publishes the parts that have been collected.
  ///
  /// Under the lock, so that what arrives from now on is a transition after this one. Nobody listens yet, so that
  /// nothing foreign runs.
  func begin() {
    collected.withLock { collected in
      guard let first = collected.take() else { return }
      publisher.registry.publish(publication(of: first.all, after: first.last))
    }
  }

  private func publication(of parts: All, after cause: (any BoxedPublication)?) -> Publication<All> {
    let publication = Publication(.loaded(parts), source: publisher.id, provenance: nil)
    if let cause { publication.carryValues(of: cause) }
    return publication
  }
}

extension StatePublisher {
  fileprivate var extras: PublisherExtras? { _access.registry.extras }

  /// Keeps one of the parts up to date, from the current state on.
  fileprivate func contribute(
    to parts: CombinedParts, at index: Int, of type: Any.Type, finished: @escaping @Sendable () -> Void
  ) -> ScopedSubscription {
    let (subscription, current) = _access.registry.follow(as: type) { _, new in
      parts.replace(index, with: Publication<Value>.from(new))
    } finished: {
      finished()
    }
    parts.replace(index, with: Publication<Value>.from(current), ifMissing: true)
    return subscription
  }
}

/// The value or previous value of a part.
private func value<Part: Sendable>(of part: any AnyPublication) throws -> Part {
  guard let value = unsafe unsafeDowncast(part, to: Publication<Part>.self).state.value else {
    throw NotLoaded(phase: part.phase)
  }
  return value
}

/// Makes the publication of a combined publisher.
private func combination<T: Sendable>(
  of parts: [any AnyPublication], _ value: T?, source: PublisherID
) -> Publication<T> {
  let error = parts.lazy.compactMap(\.error).first
  let origin = parts.compactMap(\.origin).min { $0.rank < $1.rank } ?? .loaded
  let state: LoadState<T> =
    if let error {
      .error(error, previous: value)
    } else if parts.contains(where: { $0.phase == .unknown }) {
      .unknown
    } else if let value, parts.allSatisfy({ $0.phase == .loaded }) {
      .loaded(value)
    } else {
      .loading(previous: value)
    }
  let provenance = state.value.map { _ in Provenance(origin, freshSince: nil) }
  return Publication(state, source: source, provenance: provenance)
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
