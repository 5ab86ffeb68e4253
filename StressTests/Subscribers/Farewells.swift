import SubPub
import Synchronization

/// What payloads do when they are let go of.
final class Farewells: Sendable {
  /// The payloads are of this one.
  private let stage: Stage
  private let side: Stage
  private let invited = Atomic<Int>(0)
  private let left = Countdown()
  private let noted = Guarded(Noted())

  private struct Noted: Sendable {
    var calls: [Call] = []
    var sideCalls: [Call] = []
    var joined: [Stage.Joined] = []
  }

  init(_ stage: Stage, _ side: Stage) { (self.stage, self.side) = (stage, side) }

  /// One that will do something at random.
  func guest(_ random: inout SplitMix, victim: Member?) -> Guest {
    let number = Number.make(caller: 1_000, count: invited.add(1, ordering: .relaxed).newValue)
    let seed = random.next()
    left.expect(1)
    return Guest { [weak self] in
      guard let self else { return }
      leave(number, SplitMix(seed: seed), victim)
      left.arrive()
    }
  }

  private func leave(_ number: UInt32, _ seeded: SplitMix, _ victim: Member?) {
    var random = seeded
    switch random.draw(6) {
    case 0:
      let (_, span) = Span.of { side.publisher.updateData(Payload(number: number)) }
      noted.with { $0.sideCalls.append(Call(span: span, number: number, isTransition: true)) }
    case 1:
      let (_, span) = Span.of { stage.publisher.updateData(Payload(number: number)) }
      noted.with { $0.calls.append(Call(span: span, number: number, isTransition: true)) }
    case 2 where noted.with({ $0.joined.count }) < 40:
      let joined = side.join(.draw(&random), by: 1 + Int(number), order: 0)
      noted.with { $0.joined.append(joined) }
    case 3: victim?.read()
    // An object that has not subscribed: it is looked for all the same.
    case 4: stage.publisher.unsubscribe(self)
    default: _ = stage.publisher.current.version + UInt64(stage.publisher.subscriberCount)
    }
  }

  /// Waits until all have left. False: somebody keeps one.
  func areDone() async -> Bool { await left.wait() }

  var calls: [Call] { noted.with { $0.calls } }
  var sideCalls: [Call] { noted.with { $0.sideCalls } }
  var newcomers: [Member] { noted.with { $0.joined.map(\.member) } }
}
