/// One publisher with every interface that it has.
final class PublisherUnderTest: Sendable {
  typealias Joined = RecordedSubscription.Joined

  let publisher = Publisher<Payload>()
  private let explicit: ExplicitPublisher<Payload, any StateReceiver>
  private let mainExplicit: MainActorExplicitPublisher<Payload, any MainStateReceiver>

  init() {
    explicit = ExplicitPublisher(publisher) { $0.show($1) }
    mainExplicit = MainActorExplicitPublisher(publisher) { $0.show($1) }
  }

  var version: UInt32 { UInt32(truncatingIfNeeded: publisher.current.version) }

  /// Runs the body, which subscribes, and returns when it ran and which versions may be replayed.
  private func joining<R>(_ body: () -> R) -> (R, Span, replay: ClosedRange<UInt32>) {
    let earliest = version
    let (result, span) = Span.of(body)
    return (result, span, earliest...max(earliest, version))
  }

  /// Runs the body, which subscribes, and records it.
  func record(
    _ kind: SubscriptionKind, reaction: RecordedSubscription.Reaction? = nil, _ body: (RecordedSubscription) -> Joined
  ) -> RecordedSubscription {
    let recorded = RecordedSubscription(kind, reaction: reaction)
    let (joined, span, replay) = joining { body(recorded) }
    recorded.begin(span, replay: replay, joined)
    return recorded
  }

  /// Subscribes a new subscriber.
  func subscribe(_ kind: SubscriptionKind, reaction: RecordedSubscription.Reaction? = nil) -> RecordedSubscription {
    record(kind, reaction: reaction) { log in
      let (policy, context) = (kind.policy, kind.place?.context ?? .background)
      func join<S: AnyObject & Sendable>(_ subscriber: S, _ subscribe: (S) -> Subscription) -> Joined {
        (subscriber, subscribe(subscriber))
      }
      return switch kind.interface {
      case .untyped: join(UntypedRecorder(log)) { publisher.subscribe($0, on: context, buffering: policy) }
      case .mainTyped: join(MainRecorder(log)) { publisher.subscribe($0, buffering: policy) }
      case .mainUntyped: join(MainUntypedRecorder(log)) { publisher.subscribe($0, buffering: policy) }
      case .handler:
        join(PlainRecorder(log)) { publisher.subscribe($0, on: context, buffering: policy) { $0.show($1) } }
      case .mainHandler:
        join(MainRecorder(log)) { publisher.subscribe($0, on: .main, buffering: policy) { $0.show($1) } }
      case .actorHandler: join(ActorRecorder(log)) { publisher.subscribe($0, buffering: policy) { $0.show($1) } }
      case .explicit: join(PlainRecorder(log)) { explicit.subscribe($0, on: context, buffering: policy) }
      default: join(PlainRecorder(log)) { publisher.subscribe($0, on: context, buffering: policy) }
      }
    }
  }

  /// Subscribes with the one interface that only the main actor can use.
  @MainActor
  func subscribeExplicitly(_ policy: BufferingPolicy) -> RecordedSubscription {
    record(SubscriptionKind(at: Places.main, .mainExplicit, policy)) { log in
      let subscriber = MainRecorder(log)
      return (subscriber, mainExplicit.subscribe(subscriber, buffering: policy))
    }
  }

  /// Makes a task that iterates, which leaves the loop after `limit` states.
  func read(_ interface: Interface, _ policy: BufferingPolicy, limit: Int = .max) -> RecordedSubscription {
    let log = RecordedSubscription(SubscriptionKind(sequence: interface, policy))
    switch interface {
    case .values: read(publisher.values(buffering: policy), limit, log) { log.record(number: $0.number) }
    case .publications: read(publisher.publications(buffering: policy), limit, log) { log.record($0) }
    default:
      let atEnd: @Sendable (StateSequence<Payload>.Iterator) -> Void = { log.closing = Counts($0.statistics) }
      read(publisher.states(buffering: policy), limit, log, atEnd: atEnd) { log.record($0) }
    }
    return log
  }

  /// Subscribes now; `atEnd` runs if the sequence ends before the limit.
  private func read<S: AsyncSequence & Sendable>(
    _ sequence: S, _ limit: Int, _ log: RecordedSubscription,
    atEnd: @escaping @Sendable (S.AsyncIterator) -> Void = { _ in }, each: @escaping @Sendable (S.Element) -> Void
  ) where S.Failure == Never, S.AsyncIterator: SendableMetatype {
    let (iterator, span, replay) = joining { sequence.makeAsyncIterator() }
    log.begin(span, replay: replay, task: Self.iterate(iterator, limit, atEnd, each))
  }

  private static func iterate<I: AsyncIteratorProtocol & SendableMetatype>(
    _ start: sending I, _ limit: Int, _ atEnd: @escaping @Sendable (I) -> Void,
    _ each: @escaping @Sendable (I.Element) -> Void
  ) -> Task<Void, Never> where I.Failure == Never {
    Task.detached {
      var (iterator, count) = (start, 0)
      while count < limit {
        guard let element = await iterator.next(isolation: nil) else { return atEnd(iterator) }
        each(element)
        count += 1
      }
    }
  }
}
