import SubPub

/// What subscribers do to their publisher inside their callbacks.
final class Scene: Sendable {
  private let stage: Stage
  private let newcomers = Guarded<[Stage.Joined]>([])
  private let victims = Guarded<[Stage.Joined]>([])
  private static let mostCalls = 8
  private static let mostNewcomers = 24

  init(_ stage: Stage) { self.stage = stage }

  /// Somebody who is there to be cancelled.
  func addVictim(_ joined: Stage.Joined) { victims.with { $0.append(joined) } }

  /// The callback of the subscriber with that index, for the state with that number.
  func react(as index: Int, _ log: DeliveryLog, _ number: UInt32) {
    var random = SplitMix(seed: UInt64(number) << 8 | UInt64(index))
    switch random.draw(24) {
    case 0...2: publish(as: index, log)
    case 3: subscribe(as: index, &random)
    case 4: cancel(from: log, &random)
    default: break
    }
  }

  private func publish(as index: Int, _ log: DeliveryLog) {
    let count = log.calls.count
    guard count < Self.mostCalls else { return }
    let number = Number.make(caller: 100 + index, count: count + 1)
    let begin = Stamp.now()
    // Noted first: the call may come back here.
    log.note(Call(span: Span(begin: begin, end: .max), number: number, isTransition: true))
    stage.publisher.updateData(Payload(number: number))
  }

  private func subscribe(as index: Int, _ random: inout SplitMix) {
    let order = newcomers.with { $0.count }
    guard order < Self.mostNewcomers else { return }
    let joined = stage.join(.draw(&random), by: 1_000 + index, order: order)
    newcomers.with { $0.append(joined) }
  }

  private func cancel(from log: DeliveryLog, _ random: inout SplitMix) {
    let draw = random.next()
    let victim = victims.with { $0.isEmpty ? nil : $0[Int(draw % UInt64($0.count))].member }
    guard let victim else { return }
    // Of the same lane, which is busy with this very call.
    victim.cancel(isOnOwnContext: victim.role.place.venue.isShared && victim.role.place.id == log.place.id)
  }

  /// Waits until nobody reacts any more. The victims are ended.
  func end() async -> (newcomers: [Stage.Joined], victims: [Member]) {
    let ended = victims.with { $0.map(\.member) }
    for victim in ended {
      victim.cancel()
      await victim.cancelAndWait()
    }
    var version: UInt32
    repeat {
      version = stage.version
      await stage.publisher.drain()
    } while stage.version != version
    // Their callbacks hold the scene.
    victims.with { $0 = [] }
    return (newcomers.with { $0 }, ended)
  }
}
