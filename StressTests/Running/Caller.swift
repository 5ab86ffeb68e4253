import SubPub

/// One who publishes, and notes every call.
struct Caller: Sendable {
  /// Gives its numbers; unique in a round.
  let index: Int
  private(set) var calls: [Call] = []
  private var count = 0

  init(_ index: Int) { self.index = index }

  /// A number that nobody else publishes.
  mutating func number() -> UInt32 {
    count += 1
    return Number.make(caller: index, count: count)
  }

  mutating func note(_ number: UInt32, _ span: Span, isTransition: Bool = true) {
    calls.append(Call(span: span, number: number, isTransition: isTransition))
  }

  /// A transition whose state says which it is.
  mutating func publish(_ publisher: Publisher<Payload>, _ random: inout SplitMix, guest: Guest? = nil) {
    let number = number()
    let payload = Payload(number: number, guest: guest)
    let begin = Stamp.now()
    switch random.draw(16) {
    case 0: publisher.setState(.loading(previous: payload))
    case 1: publisher.setState(.error(Trouble(), previous: payload))
    case 2: publisher.update { _ in .loaded(payload) }
    case 3: publisher.updateData(ifChanged: payload)
    case 4: publisher.setState(.loaded(payload))
    default: publisher.updateData(payload)
    }
    note(number, Span(begin: begin, end: Stamp.now()))
  }

  /// Any transition; some say nothing of their own, and some are none.
  mutating func publishAny(_ publisher: Publisher<Payload>, _ random: inout SplitMix) {
    switch random.draw(8) {
    case 0: note(0, Span.of { publisher.startLoading() }.1)
    case 1: note(0, Span.of { publisher.setError(Trouble()) }.1)
    case 2: note(0, Span.of { publisher.republish() }.1)
    case 3 where random.draw(4) == 0: note(0, Span.of { publisher.reset() }.1)
    case 4 where random.draw(4) == 0:
      let (_, span) = Span.of { try? publisher.update { _ in throw Trouble() } }
      note(0, span, isTransition: false)
    default: publish(publisher, &random)
    }
  }
}

struct Trouble: Error {}
