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

  /// Makes a call that publishes the number, or none of its own.
  mutating func call(_ number: UInt32 = 0, isTransition: Bool = true, _ body: () -> Void) {
    let (_, span) = Span.of(body)
    calls.append(Call(span: span, number: number, isTransition: isTransition))
  }

  /// Makes a transition whose state has a number of its own.
  mutating func publish(_ publisher: Publisher<Payload>, _ random: inout SeededGenerator) {
    let number = number()
    let (payload, choice) = (Payload(number: number), random.draw(16))
    call(number) {
      switch choice {
      case 0: publisher.setState(.loading(previous: payload))
      case 1: publisher.setState(.error(TestError(), previous: payload))
      case 2: publisher.update { _ in .loaded(payload) }
      case 3: publisher.updateData(ifChanged: payload)
      case 4: publisher.setState(.loaded(payload))
      default: publisher.updateData(payload)
      }
    }
  }

  /// Makes any call that publishes; some have no number of their own, and some change nothing.
  mutating func publishAny(_ publisher: Publisher<Payload>, _ random: inout SeededGenerator) {
    switch random.draw(8) {
    case 0: call { publisher.startLoading() }
    case 1: call { publisher.setError(TestError()) }
    case 2: call { publisher.republish() }
    case 3 where random.draw(4) == 0: call { publisher.reset() }
    case 4 where random.draw(4) == 0: call(isTransition: false) { _ = try? publisher.update { _ in throw TestError() } }
    default: publish(publisher, &random)
    }
  }
}

struct TestError: Error {}
