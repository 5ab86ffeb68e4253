import SubPub

/// Subscribers that one thread lets come and go: it alone holds them.
struct Troupe: Sendable {
  let stage: Stage
  let joiner: Int
  /// Still there.
  private(set) var present: [Stage.Joined] = []
  /// Cancelled, or dead.
  private(set) var gone: [Member] = []
  private(set) var readers: [Reader] = []
  /// Cancelled, and still alive: what was under way then has somebody to come to.
  private(set) var survivors: [Stage.Joined] = []
  private var order = 0

  init(_ stage: Stage, joiner: Int) {
    self.stage = stage
    self.joiner = joiner
  }

  mutating func join(_ role: Role, reaction: DeliveryLog.Reaction? = nil) {
    present.append(stage.join(role, by: joiner, order: order, reaction: reaction))
    order += 1
  }

  /// A sequence; it ends by itself after some states.
  mutating func read(_ random: inout SplitMix) {
    let face = random.draw(2) == 0 ? Face.states : .values
    readers.append(
      Reader(face, .draw(&random), of: stage, by: joiner, order: order, limit: random.draw(50)))
    order += 1
  }

  /// Cancels one of them, which may die of it.
  mutating func cancel(_ random: inout SplitMix) {
    guard !present.isEmpty else { return }
    let joined = present.remove(at: random.draw(present.count))
    joined.member.cancel()
    gone.append(joined.member)
    if random.draw(2) == 0 { survivors.append(joined) }
  }

  /// Cancels everything of one of them, by its object.
  mutating func unsubscribe(_ random: inout SplitMix) {
    guard !present.isEmpty else { return }
    let joined = present.remove(at: random.draw(present.count))
    if let subscriber = joined.subscriber {
      let (outcome, span) = Span.of { stage.publisher.unsubscribe(subscriber) }
      joined.member.note {
        $0.cancels.append(CancelRecord(span: span, answer: .outcome(outcome), thread: ThreadMark.current))
      }
    }
    gone.append(joined.member)
  }

  /// Lets go of one of them, wherever its deliveries are.
  mutating func release(_ random: inout SplitMix) {
    guard !present.isEmpty else { return }
    let joined = present.remove(at: random.draw(present.count))
    joined.member.release()
    gone.append(joined.member)
  }

  /// Looks at the counts of one of them.
  func read(anyOf random: inout SplitMix) {
    if !present.isEmpty { present[random.draw(present.count)].member.read() }
  }
}

extension Cast {
  /// Who is still there at the end stays until everything is at rest.
  mutating func take(_ troupes: [Troupe]) async -> [Member] {
    for troupe in troupes {
      joined += troupe.present
      survivors += troupe.survivors
      for reader in troupe.readers { reader.task.cancel() }
      for reader in troupe.readers { await reader.task.value }
    }
    return troupes.flatMap { $0.gone + $0.readers.map(\.member) }
  }
}
