import SubPub
import SubPubTesting
import Support

/// A task that iterates one sequence.
struct SequenceReader: Sendable {
  let subscription: RecordedSubscription
  let task: Task<Void, Never>

  static let interfaces: [Interface] = [.states, .values, .publications]

  /// Subscribes now, and leaves the loop after `limit` states.
  init(
    _ interface: Interface, _ policy: BufferingPolicy, of tested: PublisherUnderTest, by joiner: Int, order: Int,
    limit: Int = .max
  ) {
    let kind = SubscriptionKind(sequence: interface, policy)
    let (log, publisher) = (DeliveryLog(at: nil), tested.publisher)
    func recorded(_ span: Span, _ replay: ClosedRange<UInt32>) -> RecordedSubscription {
      RecordedSubscription(kind, log, nil, joining: span, by: joiner, order: order, replay: replay)
    }
    switch interface {
    case .values:
      let (iterator, span, replay) = tested.joining { publisher.values(buffering: policy).makeAsyncIterator() }
      subscription = recorded(span, replay)
      task = Self.read(iterator, limit) { log.record(number: $0.number) }
    case .publications:
      let (iterator, span, replay) = tested.joining { publisher.publications(buffering: policy).makeAsyncIterator() }
      subscription = recorded(span, replay)
      task = Self.read(iterator, limit) { log.record($0) }
    default:
      let (iterator, span, replay) = tested.joining { publisher.states(buffering: policy).makeAsyncIterator() }
      subscription = recorded(span, replay)
      task = Self.read(
        iterator, limit, { log.record($0) },
        atEnd: { [subscription] iterator in
          let counts = Counts(iterator.statistics)
          subscription.note { $0.closing = counts }
        })
    }
  }

  /// Reads up to `limit` elements; `atEnd` runs if the sequence ends before.
  private static func read<I: AsyncIteratorProtocol & SendableMetatype>(
    _ start: sending I, _ limit: Int, _ record: @escaping @Sendable (I.Element) -> Void,
    atEnd: @escaping @Sendable (I) -> Void = { _ in }
  ) -> Task<Void, Never> where I.Failure == Never {
    Task.detached {
      var (iterator, count) = (start, 0)
      while count < limit {
        guard let element = await iterator.next(isolation: nil) else { return atEnd(iterator) }
        record(element)
        count += 1
      }
    }
  }
}
