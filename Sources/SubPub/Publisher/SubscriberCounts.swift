extension StatePublisher {
  /// The numbers of subscriptions as an asynchronous sequence, which begins with the present one: whether anybody
  /// listens.
  ///
  /// Use it to work only while there is somebody to work for, where a ``StreamManager`` doesn't fit:
  ///
  /// ```swift
  /// for await count in publisher.subscriberCounts {
  ///   print(count == 0 ? "nobody listens" : "\(count) listen")
  ///   if count == 0 { break }
  /// }
  /// ```
  ///
  /// The same subscriptions count as in ``subscriberCount``, and iterating this sequence makes none. A number follows
  /// whenever a subscription begins or ends. A consumer that is slower skips numbers, and always gets the newest; two
  /// numbers in a row differ. When the publisher is finished or released, the last number is 0, even if something is
  /// still pending for somebody, and then the sequence ends.
  ///
  /// Getting the sequence looks for subscribers that have died without having been cancelled. One that dies later
  /// counts until it is noticed: when the next state reaches its context, or when subscribers are counted (2.05). So if
  /// you have to know soon, cancel, or read ``subscriberCount`` from time to time.
  ///
  /// The sequence doesn't keep the publisher alive (3.06). While it or an iterator exists, each subscribe and each
  /// cancel takes as long as another publish.
  ///
  /// - Complexity: O(*n*) in the number of subscriptions, to get the sequence.
  public var subscriberCounts: ValueSequence<Int> { SubscriberCounts(of: _access.registry).sequence }
}

/// The numbers of a publisher's subscriptions, as a publisher of its own.
///
/// Each sequence makes one, which the sequence and its iterators hold.
private final class SubscriberCounts: Sendable {
  private let observed: PublisherRegistry
  private let counts: PublisherRegistry

  init(of observed: PublisherRegistry) {
    self.observed = observed
    counts = PublisherRegistry(
      observed.source, initial: Publication<Int>(.unknown, source: observed.source, provenance: nil),
      schedulingPoints: observed.schedulingPoints)
    observed.addNoticeOfEach(for: ObjectIdentifier(self)) { [weak self] in self?.update() }
    observed.sweep()
    update()
  }

  deinit {
    observed.removeNotice(for: ObjectIdentifier(self))
    counts.release()
  }

  var sequence: ValueSequence<Int> {
    PublisherSequence(counts, "subscriberCounts", takes: .loadedStates, buffering: .latest, label: nil) {
      var last: Int?
      return { [self] publication in
        // If others were skipped in between, a number may come twice.
        guard let count = publication.state.value, count != last else { return nil }
        last = count
        return withExtendedLifetime(self) { count }
      }
    }
  }

  /// Publishes the present number, unless it is the last one published.
  ///
  /// Calls overtake each other, so the number is counted in the turn that publishes it: a number that was counted
  /// earlier never follows one that was counted later. The publisher never takes a turn of `counts` in one of its own.
  private func update() {
    var hasEnded = false
    counts.decide { (last: Publication<Int>, _, _) in
      let count = observed.listenerCount
      hasEnded = count == nil
      var step = PublisherStep<Int>()
      if last.state.value != count ?? 0 { step.published = last.next(.loaded(count ?? 0)) }
      return step
    }
    if hasEnded { counts.finish() }
  }
}
