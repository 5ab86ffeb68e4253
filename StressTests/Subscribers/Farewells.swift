import SubPub
import Synchronization

/// What payloads do when they are let go of.
final class Farewells: Sendable {
  // The payloads of this one: read only, for a publish there would change what is looked at.
  private let stage: Stage
  private let side: Stage
  private let invited = Atomic<Int>(0)
  private let left = Atomic<Int>(0)
  private let noted = Guarded(Noted())

  private struct Noted: Sendable {
    var calls: [Call] = []
    var joined: [Stage.Joined] = []
  }

  init(_ stage: Stage, _ side: Stage) { (self.stage, self.side) = (stage, side) }

  /// One that will do something at random.
  func guest(_ random: inout SplitMix, victim: Member?) -> Guest {
    let number = Number.make(caller: 1, count: invited.add(1, ordering: .relaxed).newValue)
    let seed = random.next()
    return Guest { [weak self] in
      guard let self else { return }
      leave(number, SplitMix(seed: seed), victim)
      left.add(1, ordering: .relaxed)
    }
  }

  private func leave(_ number: UInt32, _ seeded: SplitMix, _ victim: Member?) {
    var random = seeded
    switch random.draw(6) {
    case 0, 1:
      let (_, span) = Span.of { side.publisher.updateData(Payload(number: number)) }
      noted.with { $0.calls.append(Call(span: span, number: number, isTransition: true)) }
    case 2 where noted.with({ $0.joined.count }) < 40:
      let joined = side.join(.draw(&random), by: 1 + Int(number), order: 0)
      noted.with { $0.joined.append(joined) }
    case 3: victim?.read()
    case 4: if let victim { stage.publisher.unsubscribe(victim.log) }
    default: _ = stage.publisher.current.version + UInt64(stage.publisher.subscriberCount)
    }
  }

  /// After everything has come to rest.
  func check() -> [Violation] {
    let (came, went) = (invited.load(ordering: .relaxed), left.load(ordering: .relaxed))
    return came == went ? [] : [Violation(rule: "3.05", text: "\(came - went) of \(came) payloads are kept")]
  }

  var calls: [Call] { noted.with { $0.calls } }
  var newcomers: [Member] { noted.with { $0.joined.map(\.member) } }
}
