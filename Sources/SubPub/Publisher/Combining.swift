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
/// Each transition is made by a thread that publishes to one of the sources, as with
/// ``StatePublisher/map(label:on:buffering:_:)``. If several threads do so at once, one of them may carry on with the
/// states of the others.
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
  _ sources: [any StatePublisher], label: String?,
  _ combine: @escaping @Sendable ([any BoxedPublication]) throws -> T
) -> ReadOnlyPublisher<T> {
  let extras = PublisherExtras.forDerived(from: sources.map(\.registry.extras))
  let target = Publisher<T>(label: label, freshness: nil, extras)
  let (queue, parts) = (DerivingQueue<CombinedParts.Event>(), Locked(CombinedParts()))
  // Held by the subscriptions alone, so that it goes with them.
  let held = HeldFunction<CombinedParts.Event> { event in
    // The part that was there before is released outside the lock.
    let (new, _) = parts.withLock { parts in
      let former = parts.take(event)
      return (parts, former)
    }
    switch event {
    case .part(let cause, _): new.publish(after: cause, to: target, combine)
    case .finished: if new.isFinished { target.finish() }
    }
  }
  let subscriptions = sources.enumerated().map { index, source in
    let (subscription, current) = source.registry.follow(as: ReadOnlyPublisher<T>.self) { _, part in
      queue.receive(.part(part, at: index), held.call)
    } finished: {
      queue.receive(.finished, held.call)
    }
    parts.withLock { $0.add(current) }
    return subscription
  }
  // What has arrived in the meantime is part of the first state. What it replaces is released outside the lock.
  let (first, _) = parts.withLock { parts in
    let former = queue.takeAll().map { parts.take($0) }
    return (parts, former)
  }
  first.publish(after: first.last, isFirst: true, to: target, combine)
  if first.isFinished { target.finish() }
  queue.begin { [weak held] in held?.call($0) }
  return ReadOnlyPublisher(target, Derivation(from: sources, ageSource: nil, subscriptions: subscriptions))
}

extension StatePublisher {
  fileprivate var registry: PublisherRegistry { _access.registry }
}

/// The current publications of the sources of a combined publisher, in the order of the arguments.
struct CombinedParts {
  enum Event {
    /// A publication of the source with an index.
    case part(any BoxedPublication, at: Int)
    /// A source has finished.
    case finished
  }

  private(set) var all: [any BoxedPublication] = []
  /// The part that has arrived last.
  private(set) var last: (any BoxedPublication)?
  private var unfinished = 0

  /// Whether all sources have finished.
  var isFinished: Bool { unfinished == 0 }

  /// Adds the current publication of the next source.
  mutating func add(_ current: any BoxedPublication) {
    all.append(current)
    last = current
    unfinished += 1
  }

  /// Replaces exactly one part, or notes that a source has finished; returns the part that was there before.
  mutating func take(_ event: Event) -> (any BoxedPublication)? {
    switch event {
    case .part(let new, let index):
      var former = new
      swap(&former, &all[index])
      last = new
      return former
    case .finished:
      unfinished -= 1
      return nil
    }
  }
}

extension CombinedParts {
  /// Publishes the combined state, with the values that its cause carries.
  fileprivate func publish<T: Sendable>(
    after cause: (any BoxedPublication)?, isFirst: Bool = false, to target: Publisher<T>,
    _ combine: ([any BoxedPublication]) throws -> T
  ) {
    target.publish(publication(of: try? combine(all), source: target.id), after: cause, isFirst: isFirst)
  }

  private func publication<T: Sendable>(of value: T?, source: PublisherID) -> Publication<T> {
    let parts = all.compactMap(\.publication)
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
}

/// The value or previous value of a part.
private func value<Part: Sendable>(of part: any BoxedPublication) throws -> Part {
  let state = Publication<Part>.from(part).state
  guard let value = state.value else { throw NotLoaded(phase: state.phase) }
  return value
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
