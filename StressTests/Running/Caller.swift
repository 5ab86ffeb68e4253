import SubPub
import SubPubTesting
import Support

/// A thread that publishes and records every call.
struct Caller: Sendable {
  /// Unique in a round, as its numbers have to be.
  let index: Int
  private(set) var calls: [Call] = []
  private var count = 0

  init(_ index: Int) { self.index = index }

  /// A number that no other call publishes.
  mutating func number() -> UInt32 {
    count += 1
    return Number.make(caller: index, count: count)
  }

  mutating func add(_ number: UInt32, _ span: Span, isTransition: Bool = true) {
    calls.append(Call(span: span, number: number, isTransition: isTransition))
  }

  /// Makes a transition whose state has a number of its own.
  mutating func publish(
    _ publisher: Publisher<Payload>, _ random: inout SeededGenerator,
    _ makePayload: (UInt32) -> Payload = { Payload(number: $0) }
  ) {
    let number = number()
    let payload = makePayload(number)
    let begin = Stamp.now()
    switch random.draw(16) {
    case 0: publisher.setState(.loading(previous: payload))
    case 1: publisher.setState(.error(TestError(), previous: payload))
    case 2: publisher.update { _ in .loaded(payload) }
    case 3: publisher.updateData(ifChanged: payload)
    case 4: publisher.setState(.loaded(payload))
    default: publisher.updateData(payload)
    }
    add(number, Span(since: begin))
  }

  /// Makes any call that publishes; some have no number of their own, and some change nothing.
  mutating func publishAny(_ publisher: Publisher<Payload>, _ random: inout SeededGenerator) {
    switch random.draw(8) {
    case 0: add(0, Span.of { publisher.startLoading() }.1)
    case 1: add(0, Span.of { publisher.setError(TestError()) }.1)
    case 2: add(0, Span.of { publisher.republish() }.1)
    case 3 where random.draw(4) == 0: add(0, Span.of { publisher.reset() }.1)
    case 4 where random.draw(4) == 0:
      let (_, span) = Span.of { try? publisher.update { _ in throw TestError() } }
      add(0, span, isTransition: false)
    default: publish(publisher, &random)
    }
  }
}

struct TestError: Error {}
